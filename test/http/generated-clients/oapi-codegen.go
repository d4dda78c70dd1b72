// Five calls with the client that oapi-codegen generates. Prints what they returned.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"example.com/client/api"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	token := ""
	authorize := func(_ context.Context, request *http.Request) error {
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	}
	client, err := api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(authorize))
	check(err)

	login, err := client.LoginWithResponse(ctx, api.LoginJSONRequestBody{
		ClientId: "MAN0000001", ClientSecret: "sandbox-secret",
	})
	check(err)
	token = login.JSON200.AccessToken

	account, err := client.CreateCollectionAccountWithResponse(ctx, nil, api.AccountRequest{
		AccountName: "Ada Obi", Bvn: "22212345654", Email: "ada@example.com", MerchantId: "42",
		MerchantCode: "SHOP", NotificationUrl: "https://shop.example.com/hooks",
		PhoneNumber: "+2348012345678", Channel: "API",
	})
	check(err)

	name := "Ada"
	terms := api.AdviceRequest{Amount: 1234567.89, CallBackUrl: "https://shop.example.com/done"}
	terms.Customer.CustomerFirstName = &name
	advice, err := client.CreateAdviceWithResponse(ctx, nil, terms)
	check(err)

	bank := "035"
	reference := advice.JSON200.ResponseData.AdviceReference
	payment, err := client.InitiateBankTransferWithResponse(ctx, reference, nil,
		api.InitiateBankTransferJSONRequestBody{BankCode: &bank})
	check(err)

	isActive, limit := true, int32(1)
	list, err := client.ListCollectionAccountsWithResponse(ctx,
		&api.ListCollectionAccountsParams{Active: &isActive, Limit: &limit})
	check(err)

	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"created": account.JSON200.Data.Id,
		"listed":  list.JSON200.Data[0].Id,
		"amount":  payment.JSON200.ResponseData.Amount,
		"number":  payment.JSON200.ResponseData.BankAccount,
	}))
}
