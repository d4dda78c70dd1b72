# Five calls with the client that openapi-python-client generates. Prints what they returned.

import json
import sys

from manilla_client import AuthenticatedClient, Client
from manilla_client.api.authentication import login
from manilla_client.api.collection_accounts import create_collection_account, list_collection_accounts
from manilla_client.api.payments import create_advice, initiate_bank_transfer
from manilla_client.models.account_request import AccountRequest
from manilla_client.models.advice_request import AdviceRequest
from manilla_client.models.advice_request_customer import AdviceRequestCustomer
from manilla_client.models.initiate_bank_transfer_body import InitiateBankTransferBody
from manilla_client.models.login_body import LoginBody

url = sys.argv[1]
credentials = LoginBody(client_id="MAN0000001", client_secret="sandbox-secret")
token = login.sync(client=Client(base_url=url), body=credentials).access_token
client = AuthenticatedClient(base_url=url, token=token)
account = create_collection_account.sync(
    client=client,
    body=AccountRequest(
        account_name="Ada Obi",
        bvn="22212345654",
        email="ada@example.com",
        merchant_id="42",
        merchant_code="SHOP",
        notification_url="https://shop.example.com/hooks",
        phone_number="+2348012345678",
        channel="API",
    ),
)
terms = AdviceRequest(
    amount=1234567.89,
    customer=AdviceRequestCustomer(customer_first_name="Ada"),
    call_back_url="https://shop.example.com/done",
)
advice = create_advice.sync(client=client, body=terms)
payment = initiate_bank_transfer.sync(
    advice.response_data.advice_reference, client=client, body=InitiateBankTransferBody(bank_code="035")
)
accounts = list_collection_accounts.sync(client=client, active=True, limit=1)
print(
    json.dumps(
        {
            "created": account.data.id,
            "listed": accounts.data[0].id,
            "amount": payment.response_data.amount,
            "number": payment.response_data.bank_account,
        }
    )
)
