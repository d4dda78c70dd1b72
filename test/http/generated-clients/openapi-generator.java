// Five calls with the Java client that openapi-generator generates. Prints what they returned.

import org.openapitools.client.ApiClient;
import org.openapitools.client.api.AuthenticationApi;
import org.openapitools.client.api.CollectionAccountsApi;
import org.openapitools.client.api.PaymentsApi;
import org.openapitools.client.model.AccountRequest;
import org.openapitools.client.model.AdviceRequest;
import org.openapitools.client.model.AdviceRequestCustomer;
import org.openapitools.client.model.InitiateBankTransferRequest;
import org.openapitools.client.model.LoginRequest;

class OpenapiGenerator {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    String token =
        new AuthenticationApi(client)
            .login(new LoginRequest().clientId("MAN0000001").clientSecret("sandbox-secret"))
            .getAccessToken();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    CollectionAccountsApi accounts = new CollectionAccountsApi(client);
    PaymentsApi payments = new PaymentsApi(client);

    Long created =
        accounts
            .createCollectionAccount(
                new AccountRequest()
                    .accountName("Ada Obi")
                    .bvn("22212345654")
                    .email("ada@example.com")
                    .merchantId("42")
                    .merchantCode("SHOP")
                    .notificationUrl("https://shop.example.com/hooks")
                    .phoneNumber("+2348012345678")
                    .channel("API"),
                null)
            .getData()
            .getId();

    var terms =
        new AdviceRequest()
            .amount(1234567.89)
            .customer(new AdviceRequestCustomer().customerFirstName("Ada"))
            .callBackUrl("https://shop.example.com/done");
    String reference = payments.createAdvice(terms, null).getResponseData().getAdviceReference();

    var payment =
        payments
            .initiateBankTransfer(
                reference, new InitiateBankTransferRequest().bankCode("035"), null)
            .getResponseData();

    Long listed =
        accounts
            .listCollectionAccounts(
                null, null, null, null, null, null, null, true, null, null, null, null, null, null,
                1, null)
            .getData()
            .get(0)
            .getId();

    System.out.printf(
        "{\"created\":%d,\"listed\":%d,\"amount\":%s,\"number\":\"%s\"}%n",
        created,
        listed,
        new java.math.BigDecimal(payment.getAmount()).setScale(2, java.math.RoundingMode.HALF_UP),
        payment.getBankAccount());
  }
}
