-- Code of version 1 does not read except_account_ids: it would grant apps the accounts that users left out.
update schema_guard set minimum_code_version = 2;
