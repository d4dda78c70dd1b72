// Five calls with the Go client that openapi-generator generates. Prints what they returned.
package main

import (
	"context"
	"encoding/json"
	"os"

	"example.com/client/manilla"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	configuration := manilla.NewConfiguration()
	configuration.Servers = manilla.ServerConfigurations{{URL: os.Args[1]}}
	client := manilla.NewAPIClient(configuration)

	login, _, err := client.AuthenticationAPI.Login(context.Background()).
		LoginRequest(*manilla.NewLoginRequest("MAN0000001", "sandbox-secret")).Execute()
	check(err)
	ctx := context.WithValue(context.Background(), manilla.ContextAccessToken, login.AccessToken)

	account, _, err := client.CollectionAccountsAPI.CreateCollectionAccount(ctx).
		AccountRequest(*manilla.NewAccountRequest("Ada Obi", "22212345654", "ada@example.com", "42",
			"SHOP", "https://shop.example.com/hooks", "+2348012345678", "API")).Execute()
	check(err)

	customer := manilla.NewAdviceRequestCustomer()
	customer.SetCustomerFirstName("Ada")
	terms := manilla.NewAdviceRequest(1234567.89, *customer, "https://shop.example.com/done")
	advice, _, err := client.PaymentsAPI.CreateAdvice(ctx).AdviceRequest(*terms).Execute()
	check(err)

	bank := manilla.NewInitiateBankTransferRequest()
	bank.SetBankCode("035")
	payment, _, err := client.PaymentsAPI.
		InitiateBankTransfer(ctx, advice.ResponseData.AdviceReference).
		InitiateBankTransferRequest(*bank).Execute()
	check(err)

	list, _, err := client.CollectionAccountsAPI.ListCollectionAccounts(ctx).
		Active(true).Limit(1).Execute()
	check(err)

	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"created": account.Data.Id,
		"listed":  list.Data[0].Id,
		"amount":  payment.ResponseData.Amount,
		"number":  payment.ResponseData.BankAccount,
	}))
}
