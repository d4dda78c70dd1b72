-- Foreign keys to tables of later files.

alter table numbers
  add constraint numbers_payment_of_same_client
    foreign key (client_id, payment_id) references payments (client_id, id);

alter table credit_fees
  add constraint credit_fees_credit_id_fkey foreign key (credit_id) references credits (id),
  add constraint credit_fees_item_id_fkey foreign key (item_id) references suspense_items (id);

alter table subaccounts
  add constraint subaccounts_bank_account_of_same_client
    foreign key (client_id, bank_account_id) references bank_accounts (client_id, id);

alter table credit_splits
  add constraint credit_splits_credit_id_fkey foreign key (credit_id) references credits (id),
  add constraint credit_splits_item_id_fkey foreign key (item_id) references suspense_items (id);
