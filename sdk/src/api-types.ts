// The types of the API, written by npm run generate.

export interface paths {
    "/api/Account/login": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        clientId: string;
                        clientSecret: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccessToken"];
                    };
                };
            };
        };
    };
    "/dashboard/api/invitation": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["InvitationResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/invitation/accept": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                        password: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AcceptedInvitationResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/password-reset/request": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RequestedPasswordResetResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/password-reset/open": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PasswordResetResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/password-reset/accept": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        token: string;
                        password: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AcceptedPasswordResetResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/approvals": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PendingApprovalsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static": {
        get: {
            parameters: {
                query?: {
                    merchantId?: string;
                    merchantCode?: string;
                    email?: string;
                    phone?: string;
                    bvn?: string;
                    nin?: string;
                    name?: string;
                    active?: boolean;
                    default?: boolean;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OwnAccountPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AccountRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}": {
        get: {
            parameters: {
                path: {
                    accountNumber: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccountResponse"];
                    };
                };
            };
        };
        patch: {
            parameters: {
                header?: {
                    "if-match"?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AccountChange"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OwnAccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/summary": {
        get: {
            parameters: {
                query?: {
                    merchantId?: string;
                    merchantCode?: string;
                    email?: string;
                    phone?: string;
                    bvn?: string;
                    nin?: string;
                    name?: string;
                    active?: boolean;
                    default?: boolean;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ListSummaryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/details": {
        get: {
            parameters: {
                path: {
                    accountNumber: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OwnAccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/deactivate": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                    "if-match"?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        note?: string;
                    } | null;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OwnAccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/activate": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                    "if-match"?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        note?: string;
                    } | null;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OwnAccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/default": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                    "if-match"?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        note?: string;
                    } | null;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OwnAccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/verify": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                    "if-match"?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        note?: string;
                    } | null;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OwnAccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/numbers": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                    "if-match"?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        bankCode: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OwnAccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/bulk": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        accounts: ({
                            accountName: string;
                            bvn: string;
                            email: string;
                            merchantId: string;
                            merchantCode: string;
                            notificationUrl: string;
                            phoneNumber: string;
                            channel: string;
                            payerRules?: components["schemas"]["PayerRulesRequest"];
                            nin?: string;
                            kycTier?: 1 | 2 | 3;
                            verifiedName?: string;
                            banks?: string[];
                            splitCode?: string;
                        } | unknown)[];
                        validateOnly?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BulkResultsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/transactions": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    limit?: number;
                    cursor?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementEntryPage"];
                    };
                };
            };
        };
    };
    "/api/v1/limit-profiles": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LimitProfilePage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LimitProfileRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LimitProfileResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/limit-profiles/{code}": {
        get: {
            parameters: {
                path: {
                    code: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LimitProfileResponse"];
                    };
                };
            };
        };
        put: {
            parameters: {
                path: {
                    code: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LimitProfileReplacement"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LimitProfileResponse"];
                    };
                };
            };
        };
        delete: {
            parameters: {
                path: {
                    code: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeletedLimitProfileResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/collection-ceilings": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CollectionCeilingsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}/collection-ceilings": {
        get: {
            parameters: {
                path: {
                    clientId: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CollectionCeilingsResponse"];
                    };
                };
            };
        };
        put: {
            parameters: {
                path: {
                    clientId: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CollectionCeilingsRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CollectionCeilingsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}/number-ceilings": {
        get: {
            parameters: {
                path: {
                    clientId: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["NumberCeilingsResponse"];
                    };
                };
            };
        };
        put: {
            parameters: {
                path: {
                    clientId: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NumberCeilingsRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["NumberCeilingsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/fee-rules": {
        get: {
            parameters: {
                query?: {
                    clientId?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["FeeRulePage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FeeRuleRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["FeeRuleResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/fee-rules/quote": {
        post: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FeeQuoteRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["FeeQuoteResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/fee-rules/{id}": {
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WithdrawnResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/fee-rules": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["FeeRulePage"];
                    };
                };
            };
        };
    };
    "/api/v1/subaccounts.csv": {
        get: {
            parameters: {
                query?: {
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/subaccounts.xlsx": {
        get: {
            parameters: {
                query?: {
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/subaccounts": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SubaccountPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SubaccountRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SubaccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/subaccounts/{subaccountCode}": {
        get: {
            parameters: {
                path: {
                    subaccountCode: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SubaccountResponse"];
                    };
                };
            };
        };
        patch: {
            parameters: {
                path: {
                    subaccountCode: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SubaccountChange"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SubaccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/splits": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SplitPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SplitRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SplitResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/splits/{splitCode}": {
        get: {
            parameters: {
                path: {
                    splitCode: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SplitResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/splits/{splitCode}/deactivate": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    splitCode: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never> | null;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SplitResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/bank-accounts": {
        get: {
            parameters: {
                query?: {
                    isActive?: boolean;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BankAccountPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BankAccountRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BankAccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/bank-accounts.csv": {
        get: {
            parameters: {
                query?: {
                    isActive?: boolean;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/bank-accounts.xlsx": {
        get: {
            parameters: {
                query?: {
                    isActive?: boolean;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/bank-accounts/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BankAccountResponse"];
                    };
                };
            };
        };
        patch: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        isDefault?: true;
                        isActive?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BankAccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/banks": {
        get: {
            parameters: {
                query?: {
                    search?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["InstitutionsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payouts": {
        get: {
            parameters: {
                query?: {
                    status?: "queued" | "sending" | "confirmed" | "failed" | "unknown" | "cancelled";
                    approval?: "not_needed" | "needed" | "approved" | "rejected";
                    purpose?: "payout" | "settlement" | "refund" | "return";
                    recipient?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PayoutRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payouts/summary": {
        get: {
            parameters: {
                query?: {
                    status?: "queued" | "sending" | "confirmed" | "failed" | "unknown" | "cancelled";
                    approval?: "not_needed" | "needed" | "approved" | "rejected";
                    purpose?: "payout" | "settlement" | "refund" | "return";
                    recipient?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ListSummaryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payouts.csv": {
        get: {
            parameters: {
                query?: {
                    status?: "queued" | "sending" | "confirmed" | "failed" | "unknown" | "cancelled";
                    approval?: "not_needed" | "needed" | "approved" | "rejected";
                    purpose?: "payout" | "settlement" | "refund" | "return";
                    recipient?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/payouts.xlsx": {
        get: {
            parameters: {
                query?: {
                    status?: "queued" | "sending" | "confirmed" | "failed" | "unknown" | "cancelled";
                    approval?: "not_needed" | "needed" | "approved" | "rejected";
                    purpose?: "payout" | "settlement" | "refund" | "return";
                    recipient?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/payouts/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payouts/{reference}/cancel": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payouts/{reference}/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        revision: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payouts/{reference}/reject": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payout-settings": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutSettingsResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PayoutApprovalRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutSettingsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}/payout-settings": {
        get: {
            parameters: {
                path: {
                    clientId: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutSettingsResponse"];
                    };
                };
            };
        };
        patch: {
            parameters: {
                path: {
                    clientId: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PayoutSettingsRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutSettingsResponse"];
                    };
                };
            };
        };
    };
    "/Payment/advice/{adviceReference}/cancel": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    adviceReference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdviceResponse"];
                    };
                };
            };
        };
    };
    "/Payment/advice/{adviceReference}": {
        get: {
            parameters: {
                path: {
                    adviceReference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdviceResponse"];
                    };
                };
            };
        };
    };
    "/Payment/advice": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AdviceRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdviceResponse"];
                    };
                };
            };
        };
    };
    "/Payment/banktransfer/supportedbank": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SupportedBanksResponse"];
                    };
                };
            };
        };
    };
    "/api/Banks": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SupportedBanksResponse"];
                    };
                };
            };
        };
    };
    "/Payment/process/banktransfer/{adviceReference}": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    adviceReference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        bankCode?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["InitiatedPaymentResponse"];
                    };
                };
            };
        };
    };
    "/Payment/process/banktransfer/simulate/payment": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        virtualAccountNumber: string;
                        /** @example 6000.00 */
                        amount: number | string;
                        /** @default false */
                        scenarios?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SimulatedPaymentResponse"];
                    };
                };
            };
        };
    };
    "/sandbox/transfers": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SandboxTransferRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SandboxTransferResponse"];
                    };
                };
            };
        };
    };
    "/sandbox/payout-outcome": {
        put: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SandboxPayoutOutcomeRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SandboxPayoutOutcomeResponse"];
                    };
                };
            };
        };
    };
    "/sandbox/webhook-endpoints/{id}/chaos": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WebhookChaosResponse"];
                    };
                };
            };
        };
        put: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WebhookChaosRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WebhookChaosResponse"];
                    };
                };
            };
        };
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeletedResponse"];
                    };
                };
            };
        };
    };
    "/sandbox/clock": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SandboxClockResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SandboxClockRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SandboxClockMoveResponse"];
                    };
                };
            };
        };
        delete: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SandboxClockResponse"];
                    };
                };
            };
        };
    };
    "/sandbox/clock/advance": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SandboxClockAdvance"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SandboxClockMoveResponse"];
                    };
                };
            };
        };
    };
    "/sandbox/reset": {
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SandboxResetResponse"];
                    };
                };
            };
        };
    };
    "/sandbox/seed": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SandboxSeedResponse"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SandboxSeedRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SandboxSeedResponse"];
                    };
                };
            };
        };
    };
    "/api/Transaction/bypaymentreference/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TransactionResponse"];
                    };
                };
            };
        };
    };
    "/api/Transaction/byadvicereference/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TransactionResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/credits/summary": {
        get: {
            parameters: {
                query?: {
                    sessionId?: string;
                    accountNumber?: string;
                    paymentReference?: string;
                    adviceReference?: string;
                    merchantRef?: string;
                    outcome?: "booked" | "suspended" | "assigned" | "returned" | "reversed";
                    payer?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ListSummaryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/credits": {
        get: {
            parameters: {
                query?: {
                    sessionId?: string;
                    accountNumber?: string;
                    paymentReference?: string;
                    adviceReference?: string;
                    merchantRef?: string;
                    outcome?: "booked" | "suspended" | "assigned" | "returned" | "reversed";
                    payer?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CreditPage"];
                    };
                };
            };
        };
    };
    "/api/v1/credits/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CreditDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payments/summary": {
        get: {
            parameters: {
                query?: {
                    status?: "Processing" | "PartPayment" | "Successful" | "Expired" | "Cancelled" | "Reversed";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    search?: string;
                    merchantRef?: string;
                    accountNumber?: string;
                    reference?: string;
                    refund?: "refunded" | "part_refunded";
                    from?: string;
                    to?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PaymentSummaryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payments": {
        get: {
            parameters: {
                query?: {
                    status?: "Processing" | "PartPayment" | "Successful" | "Expired" | "Cancelled" | "Reversed";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    search?: string;
                    merchantRef?: string;
                    accountNumber?: string;
                    reference?: string;
                    refund?: "refunded" | "part_refunded";
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PaymentPage"];
                    };
                };
            };
        };
    };
    "/api/v1/payments/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PaymentDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payments/{reference}/refunds": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RefundPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RefundRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RefundResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/credits/{id}/refunds": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RefundPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RefundRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RefundResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/refunds/{reference}/cancel": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RefundResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/refunds.csv": {
        get: {
            parameters: {
                query?: {
                    status?: "queued" | "sending" | "unknown" | "confirmed" | "failed" | "cancelled" | "part_failed" | "awaiting_approval";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/refunds.xlsx": {
        get: {
            parameters: {
                query?: {
                    status?: "queued" | "sending" | "unknown" | "confirmed" | "failed" | "cancelled" | "part_failed" | "awaiting_approval";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/refunds": {
        get: {
            parameters: {
                query?: {
                    status?: "queued" | "sending" | "unknown" | "confirmed" | "failed" | "cancelled" | "part_failed" | "awaiting_approval";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RefundPage"];
                    };
                };
            };
        };
    };
    "/api/v1/refunds/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RefundResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/adjustments.csv": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/adjustments.xlsx": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/adjustments": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustmentPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AdjustmentRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustmentResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/adjustments/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustmentResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/adjustments/{reference}/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        revision: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustmentResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/adjustments/{reference}/reject": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustmentResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/adjustments/{reference}/withdraw": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustmentResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/holds.csv": {
        get: {
            parameters: {
                query?: {
                    state?: "active" | "released" | "forfeited";
                    clientId?: string;
                    case?: string;
                    sessionId?: string;
                    accountNumber?: string;
                    person?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/holds.xlsx": {
        get: {
            parameters: {
                query?: {
                    state?: "active" | "released" | "forfeited";
                    clientId?: string;
                    case?: string;
                    sessionId?: string;
                    accountNumber?: string;
                    person?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/holds": {
        get: {
            parameters: {
                query?: {
                    state?: "active" | "released" | "forfeited";
                    clientId?: string;
                    case?: string;
                    sessionId?: string;
                    accountNumber?: string;
                    person?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HoldPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HoldRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HoldResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/holds/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HoldResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/holds/requests": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    hold?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HoldEndingPage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/holds/{reference}/release": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HoldEndingResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/holds/{reference}/forfeit": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                        /** @example 6000 */
                        amount?: number | string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HoldEndingResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/holds/{reference}/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        revision: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HoldEndingResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/holds/{reference}/reject": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                        request?: number;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HoldEndingResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/holds/{reference}/withdraw": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HoldEndingResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/rules": {
        get: {
            parameters: {
                query?: {
                    state?: "draft" | "active" | "ended";
                    subject?: "credit" | "payout";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRulePage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ScreeningRuleRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRuleResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/rules/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRuleResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/rules/test": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        rule: string;
                        from: string;
                        to: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRuleResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/rules/{reference}/activate": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                        effectiveFrom?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/rules/{reference}/end": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/lists": {
        get: {
            parameters: {
                query?: {
                    name?: string;
                    format?: "un_xml" | "ofac_xml" | "ofac_csv" | "csv";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningListPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                query: {
                    name: string;
                    format: "un_xml" | "ofac_xml" | "ofac_csv" | "csv";
                };
            };
            requestBody: {
                content: {
                    "application/octet-stream": unknown;
                    "text/csv": unknown;
                    "text/plain": unknown;
                    "text/xml": unknown;
                    "application/xml": unknown;
                    "application/gzip": unknown;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningListResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/lists/{version}": {
        get: {
            parameters: {
                path: {
                    version: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningListResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/lists/{version}/activate": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    version: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/decisions": {
        get: {
            parameters: {
                query?: {
                    subject?: "credit" | "payout";
                    clientId?: string;
                    sessionId?: string;
                    payout?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningDecisionPage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/decisions/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningDecisionResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/decisions/{reference}/release": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/decisions/{reference}/refuse": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/requests": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRequestPage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/requests/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/requests/{id}/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        revision: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/requests/{id}/reject": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/screening/requests/{id}/withdraw": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ScreeningRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "investigating" | "closed";
                    kind?: "bank_report" | "payer_report" | "own_rule";
                    clientId?: string;
                    sessionId?: string;
                    overdue?: boolean;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseOutlinePage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CaseRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/notes": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        note: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/parties": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CasePartyRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/credits": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        sessionId: string;
                        clientId: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/deadlines/{deadline}/meet": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                    deadline: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/investigate": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/close": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        outcome: "confirmed" | "unfounded" | "referred" | "undetermined";
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/reopen": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/case-deadlines": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseDeadlineRulePage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/case-deadlines/{deadline}": {
        put: {
            parameters: {
                path: {
                    deadline: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CaseDeadlineRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseDeadlineRuleResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation": {
        get: {
            parameters: {
                query: {
                    bankCode: string;
                    currency?: string;
                    day: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DailyProofResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/days": {
        get: {
            parameters: {
                query: {
                    from: string;
                    to: string;
                    bankCode?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReconciliationDaysResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/ageing": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReconciliationAgeingResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/days.csv": {
        get: {
            parameters: {
                query: {
                    from: string;
                    to: string;
                    bankCode?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/days.xlsx": {
        get: {
            parameters: {
                query: {
                    from: string;
                    to: string;
                    bankCode?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/lines": {
        get: {
            parameters: {
                query: {
                    bankCode: string;
                    currency?: string;
                    day: string;
                    isMatched?: boolean;
                    kind?: "credit" | "fee" | "vat" | "stamp_duty" | "sweep" | "payout" | "return" | "other";
                    search?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReconciledLinePage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/items": {
        get: {
            parameters: {
                query: {
                    bankCode: string;
                    currency?: string;
                    day: string;
                    isMatched?: boolean;
                    kind?: "credit" | "charges" | "reversal" | "payout" | "payout_cost" | "payout_return" | "return" | "recovery" | "booked";
                    search?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReconciledItemPage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/adjusting-entries.csv": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/adjusting-entries.xlsx": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/adjusting-entries": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustingEntryPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AdjustingEntryRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustingEntryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/adjusting-entries/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustingEntryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/adjusting-entries/{reference}/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        revision: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustingEntryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/adjusting-entries/{reference}/reject": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustingEntryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/adjusting-entries/{reference}/withdraw": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustingEntryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/reconciling-items.csv": {
        get: {
            parameters: {
                query?: {
                    bankCode?: string;
                    bucket?: "0-1" | "2-7" | "8-30" | "31-60" | "61-90" | "91-180" | "181-365" | "365+";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/reconciling-items.xlsx": {
        get: {
            parameters: {
                query?: {
                    bankCode?: string;
                    bucket?: "0-1" | "2-7" | "8-30" | "31-60" | "61-90" | "91-180" | "181-365" | "365+";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/reconciling-items": {
        get: {
            parameters: {
                query?: {
                    bankCode?: string;
                    bucket?: "0-1" | "2-7" | "8-30" | "31-60" | "61-90" | "91-180" | "181-365" | "365+";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DifferencePage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/differences.csv": {
        get: {
            parameters: {
                query?: {
                    bankCode?: string;
                    day?: string;
                    kind?: "missing_in_books" | "missing_at_bank" | "amount_differs" | "duplicate_at_bank" | "duplicate_in_books" | "wrong_account" | "late_at_bank" | "reversed_at_bank" | "payout_paid" | "payout_returned" | "fee_differs" | "unexplained_debit" | "currency_differs" | "sequence_gap" | "balance_gap";
                    state?: "open" | "asked" | "resolved" | "cleared";
                    bucket?: "0-1" | "2-7" | "8-30" | "31-60" | "61-90" | "91-180" | "181-365" | "365+";
                    owner?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/differences.xlsx": {
        get: {
            parameters: {
                query?: {
                    bankCode?: string;
                    day?: string;
                    kind?: "missing_in_books" | "missing_at_bank" | "amount_differs" | "duplicate_at_bank" | "duplicate_in_books" | "wrong_account" | "late_at_bank" | "reversed_at_bank" | "payout_paid" | "payout_returned" | "fee_differs" | "unexplained_debit" | "currency_differs" | "sequence_gap" | "balance_gap";
                    state?: "open" | "asked" | "resolved" | "cleared";
                    bucket?: "0-1" | "2-7" | "8-30" | "31-60" | "61-90" | "91-180" | "181-365" | "365+";
                    owner?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/differences": {
        get: {
            parameters: {
                query?: {
                    bankCode?: string;
                    day?: string;
                    kind?: "missing_in_books" | "missing_at_bank" | "amount_differs" | "duplicate_at_bank" | "duplicate_in_books" | "wrong_account" | "late_at_bank" | "reversed_at_bank" | "payout_paid" | "payout_returned" | "fee_differs" | "unexplained_debit" | "currency_differs" | "sequence_gap" | "balance_gap";
                    state?: "open" | "asked" | "resolved" | "cleared";
                    bucket?: "0-1" | "2-7" | "8-30" | "31-60" | "61-90" | "91-180" | "181-365" | "365+";
                    owner?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DifferencePage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DifferenceDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/{id}/resolve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ResolutionRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DifferenceDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/resolve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BulkResolutionRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ResolutionResultsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/{id}/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        revision: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DifferenceDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/{id}/reject": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DifferenceDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/{id}/withdraw": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DifferenceDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/{id}/assign": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AssignmentRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DifferenceDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/assign": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BulkAssignmentRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ResolutionResultsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/reconciliation/owners": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DifferenceOwnersResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payments/{reference}/requery": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RequeryRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RequeryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/payments/{reference}/timeline": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TimelineResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/credits/{id}/timeline": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TimelineResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/timeline": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TimelineEntryPage"];
                    };
                };
            };
        };
    };
    "/api/v1/credits.csv": {
        get: {
            parameters: {
                query?: {
                    sessionId?: string;
                    accountNumber?: string;
                    paymentReference?: string;
                    adviceReference?: string;
                    merchantRef?: string;
                    outcome?: "booked" | "suspended" | "assigned" | "returned" | "reversed";
                    payer?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/credits.xlsx": {
        get: {
            parameters: {
                query?: {
                    sessionId?: string;
                    accountNumber?: string;
                    paymentReference?: string;
                    adviceReference?: string;
                    merchantRef?: string;
                    outcome?: "booked" | "suspended" | "assigned" | "returned" | "reversed";
                    payer?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static.csv": {
        get: {
            parameters: {
                query?: {
                    merchantId?: string;
                    merchantCode?: string;
                    email?: string;
                    phone?: string;
                    bvn?: string;
                    nin?: string;
                    name?: string;
                    active?: boolean;
                    default?: boolean;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static.xlsx": {
        get: {
            parameters: {
                query?: {
                    merchantId?: string;
                    merchantCode?: string;
                    email?: string;
                    phone?: string;
                    bvn?: string;
                    nin?: string;
                    name?: string;
                    active?: boolean;
                    default?: boolean;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/payments.csv": {
        get: {
            parameters: {
                query?: {
                    status?: "Processing" | "PartPayment" | "Successful" | "Expired" | "Cancelled" | "Reversed";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    search?: string;
                    merchantRef?: string;
                    accountNumber?: string;
                    reference?: string;
                    refund?: "refunded" | "part_refunded";
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/payments.xlsx": {
        get: {
            parameters: {
                query?: {
                    status?: "Processing" | "PartPayment" | "Successful" | "Expired" | "Cancelled" | "Reversed";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    search?: string;
                    merchantRef?: string;
                    accountNumber?: string;
                    reference?: string;
                    refund?: "refunded" | "part_refunded";
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/suspense.csv": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "assigned" | "returning" | "returned" | "reversed";
                    reason?: string;
                    bankCode?: string;
                    age?: "0-1" | "2-7" | "8-30" | "30+";
                    minAmount?: string;
                    maxAmount?: string;
                    order?: "newest" | "oldest" | "largest" | "smallest";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/suspense.xlsx": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "assigned" | "returning" | "returned" | "reversed";
                    reason?: string;
                    bankCode?: string;
                    age?: "0-1" | "2-7" | "8-30" | "30+";
                    minAmount?: string;
                    maxAmount?: string;
                    order?: "newest" | "oldest" | "largest" | "smallest";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/statement.csv": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/statement.xlsx": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    columns?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/statement.html": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/balances/statement.csv": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    currency?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/balances/statement.xlsx": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    currency?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/balances/statement.html": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    currency?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/subaccounts/{code}/statement.csv": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
                path: {
                    code: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/subaccounts/{code}/statement.xlsx": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    columns?: string;
                };
                path: {
                    code: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/subaccounts/{code}/statement.html": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                };
                path: {
                    code: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/ledger/accounts/{id}/statement.csv": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/ledger/accounts/{id}/statement.xlsx": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    columns?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/ledger/accounts/{id}/statement.html": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/search": {
        get: {
            parameters: {
                query: {
                    q: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SearchHitsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/advices/{reference}/cancel": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never> | null;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdviceRecordResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/advices/{reference}/extend": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ExtendAdviceRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdviceRecordResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/advices.csv": {
        get: {
            parameters: {
                query?: {
                    status?: "Pending" | "Paid" | "Expired" | "Cancelled" | "Reversed";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    search?: string;
                    merchantRef?: string;
                    accountNumber?: string;
                    reference?: string;
                    refund?: "refunded" | "part_refunded";
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/advices.xlsx": {
        get: {
            parameters: {
                query?: {
                    status?: "Pending" | "Paid" | "Expired" | "Cancelled" | "Reversed";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    search?: string;
                    merchantRef?: string;
                    accountNumber?: string;
                    reference?: string;
                    refund?: "refunded" | "part_refunded";
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/advices": {
        get: {
            parameters: {
                query?: {
                    status?: "Pending" | "Paid" | "Expired" | "Cancelled" | "Reversed";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    search?: string;
                    merchantRef?: string;
                    accountNumber?: string;
                    reference?: string;
                    refund?: "refunded" | "part_refunded";
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdviceRecordPage"];
                    };
                };
            };
        };
    };
    "/api/v1/advices/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdviceRecordResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/accounts/static/{accountNumber}/erase": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                        sameBvn?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ErasedAccountsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/advices/{adviceReference}/erase": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    adviceReference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ErasedAdviceResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/balances/merchants": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["MerchantBalancePage"];
                    };
                };
            };
        };
    };
    "/api/v1/balances/subaccounts": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SubaccountBalancePage"];
                    };
                };
            };
        };
    };
    "/api/v1/balances/merchants.csv": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/balances/merchants.xlsx": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/balances/subaccounts.csv": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/balances/subaccounts.xlsx": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/balances": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BalancesResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/ledger/accounts": {
        get: {
            parameters: {
                query?: {
                    kind?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LedgerAccountPage"];
                    };
                };
            };
        };
    };
    "/api/v1/ledger/accounts/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LedgerAccountResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/ledger/audit": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["IntegrityReportResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/ledger/accounts/{id}/transfers.csv": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/ledger/accounts/{id}/transfers.xlsx": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    columns?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/ledger/accounts/{id}/transfers": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    limit?: number;
                    cursor?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LedgerTransferPage"];
                    };
                };
            };
        };
    };
    "/api/v1/ledger/accounts/{id}/totals": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LedgerTotalsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/overview/breakdown": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OverviewBreakdownResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/overview/period": {
        get: {
            parameters: {
                query: {
                    from: string;
                    to: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OverviewPeriodFiguresResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/overview": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OverviewResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/settlement-settings": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementSettingsResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SettlementSettingsRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementSettingsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/holidays": {
        get: {
            parameters: {
                query?: {
                    year?: number;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HolidayPage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/holidays/{date}": {
        put: {
            parameters: {
                path: {
                    date: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HolidayRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["HolidayResponse"];
                    };
                };
            };
        };
        delete: {
            parameters: {
                path: {
                    date: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeletedResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/settlements.csv": {
        get: {
            parameters: {
                query?: {
                    status?: "closed" | "approved" | "sending" | "paid" | "part_failed" | "failed" | "cancelled";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/settlements.xlsx": {
        get: {
            parameters: {
                query?: {
                    status?: "closed" | "approved" | "sending" | "paid" | "part_failed" | "failed" | "cancelled";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/settlements": {
        get: {
            parameters: {
                query?: {
                    status?: "closed" | "approved" | "sending" | "paid" | "part_failed" | "failed" | "cancelled";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CloseSettlementRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/settlements/upcoming": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["UpcomingSettlementResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/settlements/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/settlements/{reference}/lines": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementLinePage"];
                    };
                };
            };
        };
    };
    "/api/v1/settlements/{reference}/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        revision: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/settlements/{reference}/cancel": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/settlements/{reference}.csv": {
        get: {
            parameters: {
                query?: {
                    for?: "spreadsheet";
                    columns?: string;
                };
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/settlements/{reference}.xlsx": {
        get: {
            parameters: {
                query?: {
                    columns?: string;
                };
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/settlements/{reference}.html": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/suspense/{id}/assign": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AssignRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseItemResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense/{id}/return": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        note?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseItemResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense/summary": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "assigned" | "returning" | "returned" | "reversed";
                    reason?: string;
                    bankCode?: string;
                    age?: "0-1" | "2-7" | "8-30" | "30+";
                    minAmount?: string;
                    maxAmount?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseSummaryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "assigned" | "returning" | "returned" | "reversed";
                    reason?: string;
                    bankCode?: string;
                    age?: "0-1" | "2-7" | "8-30" | "30+";
                    minAmount?: string;
                    maxAmount?: string;
                    order?: "newest" | "oldest" | "largest" | "smallest";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseItemPage"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseItemDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense/requests.csv": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn" | "void";
                    itemId?: number;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/suspense/requests.xlsx": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn" | "void";
                    itemId?: number;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/suspense/requests": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn" | "void";
                    itemId?: number;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ApprovalRequestPage"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense/{id}/requests": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        action: "assign" | "return";
                        accountNumber?: string;
                        paymentReference?: string;
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ApprovalRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense/requests/{id}/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        revision: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ApprovalRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense/requests/{id}/reject": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ApprovalRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense/requests/{id}/withdraw": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ApprovalRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense/settings": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseSettingsResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": {
                        makerChecker: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseSettingsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/suspense/settings/requests": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ApprovalRequestResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/webhook-endpoints": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WebhookEndpointWithHealthPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WebhookEndpointRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WebhookEndpointWithSecretResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/webhook-endpoints/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WebhookEndpointDetailResponse"];
                    };
                };
            };
        };
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeletedResponse"];
                    };
                };
            };
        };
        patch: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WebhookEndpointChange"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WebhookEndpointResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/webhook-secret": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SigningSecretResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/webhook-secret/rotate": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never> | null;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SigningSecretResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/webhook-endpoints/{id}/rotate-secret": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never> | null;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SigningSecretResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/events": {
        get: {
            parameters: {
                query?: {
                    type?: "account.created" | "account.updated" | "account.deactivated" | "account.activated" | "account.erased" | "collection.received" | "collection.reversed" | "collection.refunded" | "collection.refund_failed" | "payment.processing" | "payment.part_paid" | "payment.extended" | "payment.successful" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.refunded" | "payment.refund_failed" | "credit.suspended" | "credit.assigned" | "credit.returned" | "credit.return_failed" | "credit.reversed" | "payout.confirmed" | "payout.failed" | "payout.returned" | "settlement.closed" | "settlement.paid" | "settlement.failed" | "hold.placed" | "hold.released" | "hold.forfeited" | "alert.raised" | "endpoint.disabled" | "endpoint.test";
                    accountNumber?: string;
                    paymentReference?: string;
                    delivered?: boolean;
                    include?: "deliveries";
                    from?: string;
                    to?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["EventPage"];
                    };
                };
            };
        };
    };
    "/api/v1/events/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["EventDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/events/{id}/deliveries": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeliveryDetailPage"];
                    };
                };
            };
        };
    };
    "/api/v1/events/stream": {
        get: {
            parameters: {
                header?: {
                    "last-event-id"?: number;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
    };
    "/api/v1/events/{id}/redeliver": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        endpointId?: string;
                    } | null;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RedeliveryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/webhook-endpoints/{id}/replay": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReplayResponse"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReplayRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReplayResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/webhook-endpoints/{id}/test": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never> | null;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TestEventResponse"];
                    };
                };
            };
        };
    };
    "/api/WebHook/push/{paymentReference}": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    paymentReference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WebhookPushResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/messages": {
        get: {
            parameters: {
                query?: {
                    state?: "queued" | "sending" | "sent" | "caught" | "unknown" | "failed" | "suppressed" | "cancelled";
                    channel?: "email" | "sms" | "whatsapp";
                    kind?: "user.invitation" | "user.account_reset" | "user.password_reset" | "user.password_changed" | "user.new_device" | "user.approval_waiting" | "user.report_ready" | "payer.instructions" | "payer.part_payment" | "payer.receipt" | "payer.refund_sent" | "merchant.daily_summary" | "merchant.settlement_paid" | "merchant.suspense" | "merchant.webhook_failing" | "merchant.payout_failed" | "operator.alert";
                    recipient?: string;
                    from?: string;
                    to?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["MessagePage"];
                    };
                };
            };
        };
    };
    "/api/v1/messages/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["MessageResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/messages/{reference}/content": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["MessageContentResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/message-suppressions": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["MessageSuppressionPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MessageSuppressionRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["MessageSuppressionResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/message-suppressions/{id}": {
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["MessageSuppressionResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/notice-settings": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["NoticeSettingsResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NoticeSettingsRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["NoticeSettingsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/notice-previews/{kind}": {
        get: {
            parameters: {
                path: {
                    kind: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["MessageContentResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/report-schedules": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReportSchedulePage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReportScheduleRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReportScheduleResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/report-schedules/choices": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReportChoicesResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/report-schedules/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReportScheduleResponse"];
                    };
                };
            };
        };
        delete: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeletedResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/reports/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReportResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/audit-log.csv": {
        get: {
            parameters: {
                query?: {
                    actor?: string;
                    action?: string;
                    subject?: string;
                    from?: string;
                    to?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/audit-log.xlsx": {
        get: {
            parameters: {
                query?: {
                    actor?: string;
                    action?: string;
                    subject?: string;
                    from?: string;
                    to?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/audit-log": {
        get: {
            parameters: {
                query?: {
                    actor?: string;
                    action?: string;
                    subject?: string;
                    from?: string;
                    to?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AuditLogEntryPage"];
                    };
                };
            };
        };
    };
    "/dashboard/api/session": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SignedInSessionResponse"];
                    };
                };
            };
        };
        post: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SignInRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SignedInSessionResponse"];
                    };
                };
            };
        };
        delete: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["EndedSessionsResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/sessions": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SessionPage"];
                    };
                };
            };
        };
        delete: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["EndedSessionsResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/sessions/{id}": {
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["EndedSessionsResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/session/passkey/challenge": {
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PasskeyRequestOptionsResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/session/passkey": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        passkey: components["schemas"]["PasskeyAssertion"];
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SignedInSessionResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/chat": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OperatorChatResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": {
                        url: string;
                        alertSeverity?: "notice" | "warning" | "critical";
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OperatorChatResponse"];
                    };
                };
            };
        };
        delete: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeletedResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/chat/test": {
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ChatTestResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/session/provider": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        clientId: string;
                        isFresh?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ProviderSignInResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/session/provider/callback": {
        post: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProviderReturn"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SignedInSessionResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/session/provider/second-factor": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        code?: string;
                        passkey?: components["schemas"]["PasskeyAssertion"];
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SignedInSessionResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/client/provider": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SignInProviderSettingsResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": {
                        issuer: string;
                        providerClientId: string;
                        clientSecret?: string;
                        roleClaim?: string | null;
                        roles?: components["schemas"]["SignInRoleMapping"][];
                        /** @default false */
                        createsUsers?: boolean;
                        /** @default false */
                        trustsEmail?: boolean;
                        /** @default false */
                        isEnforced?: boolean;
                        password?: string;
                        code?: string;
                        passkey?: components["schemas"]["PasskeyAssertion"];
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SignInProviderResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/client/provider/remove": {
        post: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["IdentityConfirmation"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeletedResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/client/user-addresses": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["UserAddressesResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": {
                        addresses: string[] | null;
                        password?: string;
                        code?: string;
                        passkey?: components["schemas"]["PasskeyAssertion"];
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["UserAddressesResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/password": {
        put: {
            requestBody: {
                content: {
                    "application/json": {
                        currentPassword: string;
                        newPassword: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CsrfTokenResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/totp": {
        post: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["IdentityConfirmation"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TotpEnrolmentResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/totp/confirm": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        code: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RecoveryCodesResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/totp/remove": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        password: string;
                        code: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TotpStateResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/passkeys": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PasskeyPage"];
                    };
                };
            };
        };
        post: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["IdentityConfirmation"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PasskeyCreationOptionsResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/passkeys/{id}": {
        patch: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PasskeyResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/passkeys/challenge": {
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PasskeyRequestOptionsResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/passkeys/confirm": {
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        credential: components["schemas"]["PasskeyAttestation"];
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AddedPasskeyResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/passkeys/{id}/remove": {
        post: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["IdentityConfirmation"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeletedResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/saved-views": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SavedViewPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        list: string;
                        name: string;
                        query: {
                            [key: string]: string;
                        };
                        hiddenColumns: string[];
                        isDefault: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SavedViewResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/saved-views/{id}": {
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeletedResponse"];
                    };
                };
            };
        };
        patch: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        name?: string;
                        isDefault?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SavedViewResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/users": {
        get: {
            parameters: {
                query?: {
                    clientId?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["UserPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        email: string;
                        role: "owner" | "developer" | "finance" | "support" | "operator";
                        clientId?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["UserWithPasswordResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/users/{id}": {
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DeletedResponse"];
                    };
                };
            };
        };
        patch: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        role?: "owner" | "developer" | "finance" | "support" | "operator";
                        isActive?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["UserResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/users/{id}/reset-password": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        removeTotp?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["UserWithPasswordResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/users/{id}/vouch": {
        post: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        note: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["UserResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/client": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientDetailResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/client/rotate-secret": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SecretRotationRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientWithSecretResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/limits": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LimitsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/branding": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BrandingResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BrandingRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BrandingResponse"];
                    };
                };
            };
        };
    };
    "/dashboard/api/banks": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BanksResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients": {
        get: {
            parameters: {
                query?: {
                    search?: string;
                    active?: boolean;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RegisteredClientPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        clientId?: string;
                        scopes?: ("accounts:read" | "accounts:write" | "payments:read" | "payments:write" | "credits:read" | "webhooks:read" | "webhooks:write" | "suspense:read" | "suspense:write" | "actions:read" | "payouts:read" | "payouts:write" | "refunds:write" | "returns:read" | "returns:write" | "accounting:read" | "accounting:write" | "operator")[];
                        merchantCodes?: string[] | null;
                        allowedAddresses?: string[] | null;
                        isOperator?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientWithSecretResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}": {
        get: {
            parameters: {
                path: {
                    clientId: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientDetailResponse"];
                    };
                };
            };
        };
        patch: {
            parameters: {
                path: {
                    clientId: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        name?: string;
                        scopes?: ("accounts:read" | "accounts:write" | "payments:read" | "payments:write" | "credits:read" | "webhooks:read" | "webhooks:write" | "suspense:read" | "suspense:write" | "actions:read" | "payouts:read" | "payouts:write" | "refunds:write" | "returns:read" | "returns:write" | "accounting:read" | "accounting:write" | "operator")[];
                        merchantCodes?: string[] | null;
                        allowedAddresses?: string[] | null;
                        isOperator?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}/use": {
        get: {
            parameters: {
                query?: {
                    days?: number;
                };
                path: {
                    clientId: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientUsageResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}/rotate-secret": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    clientId: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SecretRotationRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientWithSecretResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}/suspend": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    clientId: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason?: string;
                        note?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}/resume": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    clientId: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason?: string;
                        note?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}/account-name/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    clientId: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AccountNameDecisionRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}/account-name/reject": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    clientId: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AccountNameDecisionRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/returns.csv": {
        get: {
            parameters: {
                query?: {
                    status?: "pending" | "confirmed" | "failed";
                    bankCode?: string;
                    from?: string;
                    to?: string;
                    reveal?: boolean;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/returns.xlsx": {
        get: {
            parameters: {
                query?: {
                    status?: "pending" | "confirmed" | "failed";
                    bankCode?: string;
                    from?: string;
                    to?: string;
                    reveal?: boolean;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/returns": {
        get: {
            parameters: {
                query?: {
                    status?: "pending" | "confirmed" | "failed";
                    bankCode?: string;
                    from?: string;
                    to?: string;
                    reveal?: boolean;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReturnPage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/returns/{reference}": {
        get: {
            parameters: {
                query?: {
                    reveal?: boolean;
                };
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReturnResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/returns/{reference}/confirm": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        bankReference?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReturnResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/returns/{reference}/fail": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReturnResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-files": {
        get: {
            parameters: {
                query?: {
                    bankCode?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutFilePage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        bankCode: string;
                        format: "pain.001" | "csv";
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutFileDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-files/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutFileDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-files/{id}/download": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/xml": string;
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-files/{id}/not-delivered": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        bankConfirmation: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutFileDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-files/results": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/xml": unknown;
                    "text/csv": unknown;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutResultsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-failures.csv": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-failures.xlsx": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-failures": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RequestedFailurePage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-failures/{reference}/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        revision: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RequestedFailureResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-failures/{reference}/reject": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RequestedFailureResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-failures/{reference}/withdraw": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RequestedFailureResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payouts/summary": {
        get: {
            parameters: {
                query?: {
                    clientId?: string;
                    bankCode?: string;
                    payoutFile?: string;
                    status?: "queued" | "sending" | "confirmed" | "failed" | "unknown" | "cancelled";
                    approval?: "not_needed" | "needed" | "approved" | "rejected";
                    purpose?: "payout" | "settlement" | "refund" | "return";
                    recipient?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ListSummaryResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payouts.csv": {
        get: {
            parameters: {
                query?: {
                    clientId?: string;
                    bankCode?: string;
                    payoutFile?: string;
                    status?: "queued" | "sending" | "confirmed" | "failed" | "unknown" | "cancelled";
                    approval?: "not_needed" | "needed" | "approved" | "rejected";
                    purpose?: "payout" | "settlement" | "refund" | "return";
                    recipient?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/payouts.xlsx": {
        get: {
            parameters: {
                query?: {
                    clientId?: string;
                    bankCode?: string;
                    payoutFile?: string;
                    status?: "queued" | "sending" | "confirmed" | "failed" | "unknown" | "cancelled";
                    approval?: "not_needed" | "needed" | "approved" | "rejected";
                    purpose?: "payout" | "settlement" | "refund" | "return";
                    recipient?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/payouts": {
        get: {
            parameters: {
                query?: {
                    clientId?: string;
                    bankCode?: string;
                    payoutFile?: string;
                    status?: "queued" | "sending" | "confirmed" | "failed" | "unknown" | "cancelled";
                    approval?: "not_needed" | "needed" | "approved" | "rejected";
                    purpose?: "payout" | "settlement" | "refund" | "return";
                    recipient?: string;
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OperatorPayoutPage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payouts/{reference}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OperatorPayoutDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payouts/{reference}/confirm": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        bankReference: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OperatorPayoutDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payouts/{reference}/fail": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                        evidence: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OperatorPayoutDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-tariffs": {
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutTariffPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PayoutTariffRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutTariffResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/payout-tariffs/{id}": {
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WithdrawnResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/alerts": {
        get: {
            parameters: {
                query?: {
                    kind?: "numbers_exhausted" | "number_ceiling_reached" | "pool_low" | "number_refused" | "account_change_refused" | "session_reused" | "wrong_bank" | "rail_item_rejected" | "reversal_outstanding" | "reversal_shortfall" | "reversal_receivable" | "endpoint_disabled" | "account_name_review" | "bank_silent" | "payout_unknown" | "payout_contradicted" | "payout_returned" | "payout_needs_authorization" | "payout_blocked" | "payouts_held" | "payouts_waiting" | "payout_file_overdue" | "suspense_aged" | "case_deadline_near" | "case_deadline_missed" | "hold_deadline_near" | "hold_deadline_missed" | "erasure_refused" | "erasure_paused" | "held_person_account" | "reconciliation_difference" | "statement_missing" | "audit_failed" | "screening_late" | "holidays_run_out" | "archive_failing" | "notices_skipped" | "identity_service_down";
                    severity?: "notice" | "warning" | "critical";
                    open?: boolean;
                    from?: string;
                    to?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AlertPage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/alerts/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AlertResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/alerts/{id}/acknowledge": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AlertResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/alerts/{id}/reopen": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AlertResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/banks": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BankHealthsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/rail-items.csv": {
        get: {
            parameters: {
                query?: {
                    outcome?: "awaited" | "taken" | "rejected" | "unreadable";
                    bankCode?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/rail-items.xlsx": {
        get: {
            parameters: {
                query?: {
                    outcome?: "awaited" | "taken" | "rejected" | "unreadable";
                    bankCode?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/rail-items": {
        get: {
            parameters: {
                query?: {
                    outcome?: "awaited" | "taken" | "rejected" | "unreadable";
                    bankCode?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RailItemPage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/rail-items/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RailItemDetailResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/days/{day}/close": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    day: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccountingDayResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/days": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccountingDaysResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/journal.csv": {
        get: {
            parameters: {
                query: {
                    day: string;
                    layout?: "manilla" | "xero" | "quickbooks" | "sage";
                    detail?: "day" | "transfer";
                    currency?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/journal.xlsx": {
        get: {
            parameters: {
                query: {
                    day: string;
                    layout?: "manilla" | "xero" | "quickbooks" | "sage";
                    detail?: "day" | "transfer";
                    currency?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/journal": {
        get: {
            parameters: {
                query: {
                    day: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["JournalResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/journal.html": {
        get: {
            parameters: {
                query: {
                    day: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/trial-balance": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TrialBalanceResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/trial-balance.csv": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/trial-balance.xlsx": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/trial-balance.html": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/months/{month}": {
        get: {
            parameters: {
                path: {
                    month: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccountingMonthResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/months/{month}/close": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    month: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccountingMonthResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/months/{month}/reopen": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    month: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccountingMonthResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/months/{month}/reopen/{id}/approve": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    month: string;
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        revision: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccountingMonthResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/months/{month}/reopen/{id}/reject": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    month: string;
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccountingMonthResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/months/{month}/reopen/{id}/withdraw": {
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
                path: {
                    month: string;
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AccountingMonthResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/months/{month}/pack": {
        get: {
            parameters: {
                path: {
                    month: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/zip": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/export.json": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseExport"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/export.html": {
        get: {
            parameters: {
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/evidence/{id}": {
        get: {
            parameters: {
                path: {
                    reference: string;
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/pdf": string;
                        "image/png": string;
                        "image/jpeg": string;
                        "image/webp": string;
                        "text/plain": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/cases/{reference}/evidence": {
        post: {
            parameters: {
                query: {
                    name: string;
                };
                path: {
                    reference: string;
                };
            };
            requestBody: {
                content: {
                    "application/octet-stream": unknown;
                    "application/pdf": unknown;
                    "image/png": unknown;
                    "image/jpeg": unknown;
                    "image/webp": unknown;
                    "text/plain": unknown;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CaseResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/vat": {
        get: {
            parameters: {
                query: {
                    month: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["VatReportResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/vat.csv": {
        get: {
            parameters: {
                query: {
                    month: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/vat.xlsx": {
        get: {
            parameters: {
                query: {
                    month: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/vat.html": {
        get: {
            parameters: {
                query: {
                    month: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/stamp-duty": {
        get: {
            parameters: {
                query: {
                    month: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StampDutyReportResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/stamp-duty.csv": {
        get: {
            parameters: {
                query: {
                    month: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/stamp-duty.xlsx": {
        get: {
            parameters: {
                query: {
                    month: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/stamp-duty.html": {
        get: {
            parameters: {
                query: {
                    month: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/withholding-tax": {
        get: {
            parameters: {
                query: {
                    month: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WithholdingTaxReportResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/withholding-tax.csv": {
        get: {
            parameters: {
                query: {
                    month: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/withholding-tax.xlsx": {
        get: {
            parameters: {
                query: {
                    month: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/withholding-tax.html": {
        get: {
            parameters: {
                query: {
                    month: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/tax-rates": {
        get: {
            parameters: {
                query?: {
                    tax?: "vat" | "stamp_duty" | "withholding";
                    clientId?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TaxRatePage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TaxRateRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TaxRateResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/clients/{clientId}/tax-settings": {
        get: {
            parameters: {
                path: {
                    clientId: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TaxSettingsResponse"];
                    };
                };
            };
        };
        put: {
            parameters: {
                path: {
                    clientId: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TaxSettingsRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TaxSettingsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/vat-invoices/{number}.html": {
        get: {
            parameters: {
                path: {
                    number: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/vat-invoices/{number}.html": {
        get: {
            parameters: {
                path: {
                    number: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/vat-invoices.csv": {
        get: {
            parameters: {
                query?: {
                    month?: string;
                    kind?: "invoice" | "credit_note";
                    clientId?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/vat-invoices.xlsx": {
        get: {
            parameters: {
                query?: {
                    month?: string;
                    kind?: "invoice" | "credit_note";
                    clientId?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/vat-invoices": {
        get: {
            parameters: {
                query?: {
                    month?: string;
                    kind?: "invoice" | "credit_note";
                    clientId?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["VatInvoicePage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                header?: {
                    "idempotency-key"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["VatInvoicesRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["IssuedVatInvoicesResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/vat-invoices/{number}": {
        get: {
            parameters: {
                path: {
                    number: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["VatInvoiceResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/vat-invoices.csv": {
        get: {
            parameters: {
                query?: {
                    month?: string;
                    kind?: "invoice" | "credit_note";
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/vat-invoices.xlsx": {
        get: {
            parameters: {
                query?: {
                    month?: string;
                    kind?: "invoice" | "credit_note";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/vat-invoices": {
        get: {
            parameters: {
                query?: {
                    month?: string;
                    kind?: "invoice" | "credit_note";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["VatInvoicePage"];
                    };
                };
            };
        };
    };
    "/api/v1/vat-invoices/{number}": {
        get: {
            parameters: {
                path: {
                    number: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["VatInvoiceResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/balances": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OperatorBalancesResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/balances.csv": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/balances.xlsx": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/suspense-ageing": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseAgeingResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/suspense-ageing.csv": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    for?: "spreadsheet";
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/suspense-ageing.xlsx": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    columns?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/suspense-ageing.html": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/suspense-escalation": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseEscalationResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SuspenseEscalationRequest"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseEscalationResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/statements": {
        get: {
            parameters: {
                query?: {
                    bankCode?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementPage"];
                    };
                };
            };
        };
        post: {
            parameters: {
                query: {
                    bankCode: string;
                    format?: "camt053" | "mt940" | "csv";
                    profile?: string;
                    fileName?: string;
                };
            };
            requestBody: {
                content: {
                    "application/octet-stream": unknown;
                    "text/csv": unknown;
                    "text/plain": unknown;
                    "text/xml": unknown;
                    "application/xml": unknown;
                    "application/gzip": unknown;
                    "application/x-gzip": unknown;
                    "multipart/form-data": unknown;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ImportedStatementsResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/statements/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/statements/{id}/lines.csv": {
        get: {
            parameters: {
                query?: {
                    isMatched?: boolean;
                    for?: "spreadsheet";
                    columns?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "text/csv": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/statements/{id}/lines.xlsx": {
        get: {
            parameters: {
                query?: {
                    isMatched?: boolean;
                    columns?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    };
                };
            };
        };
    };
    "/api/v1/operator/statements/{id}/lines": {
        get: {
            parameters: {
                query?: {
                    isMatched?: boolean;
                    limit?: number;
                    cursor?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementLinePage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/statement-imports": {
        get: {
            parameters: {
                query?: {
                    bankCode?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementImportPage"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/statement-imports/{id}": {
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementImportResponse"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/statement-profiles": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementProfilePage"];
                    };
                };
            };
        };
    };
}
export interface components {
    schemas: {
        AcceptedInvitation: {
            email: string;
            isSignedIn: boolean;
        };
        AcceptedInvitationResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AcceptedInvitation"];
        };
        AcceptedPasswordReset: {
            email: string;
        };
        AcceptedPasswordResetResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AcceptedPasswordReset"];
        };
        AccessToken: {
            access_token: string;
            token_type: "Bearer";
            expires_in: number;
        };
        Account: {
            id: number;
            bankCode: string;
            accountNumber: string;
            accountName: string;
            bvn: string;
            email: string;
            accountBalance: number;
            merchantId: string;
            merchantCode: string;
            notificationUrl: string;
            isDefault: boolean;
            isActive: boolean;
            currencyCode: string;
            phoneNumber: string;
            channel: string;
            accounts: components["schemas"]["BankNumber"][];
            createdAt: string;
            updatedAt: string;
        };
        AccountActivatedEvent: {
            id: string;
            /** @constant */
            type: "account.activated";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["AccountEventData"];
        };
        AccountChange: {
            accountName?: string;
            email?: string;
            notificationUrl?: string;
            phoneNumber?: string;
            nin?: string | null;
            kycTier?: 1 | 2 | 3;
            verifiedName?: string | null;
            payerRules?: {
                /** @example 6000 */
                minAmount?: number | string;
                /** @example 6000 */
                maxAmount?: number | string;
                accounts?: {
                    accountNumber: string;
                    bankCode: string;
                }[];
                names?: string[];
            } | null;
            limits?: {
                perCredit?: (number | string) | null;
                perDay?: (number | string) | null;
                balanceMax?: (number | string) | null;
            } | null;
            limitProfile?: string | null;
            splitCode?: string | null;
        };
        AccountCreatedEvent: {
            id: string;
            /** @constant */
            type: "account.created";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["AccountEventData"];
        };
        AccountDeactivatedEvent: {
            id: string;
            /** @constant */
            type: "account.deactivated";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["AccountEventData"];
        };
        AccountErasedEvent: {
            id: string;
            /** @constant */
            type: "account.erased";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["AccountEventData"];
        };
        AccountEventData: {
            id: number;
            bankCode: string;
            accountNumber: string;
            accountName: string;
            email: string;
            accountBalance: number;
            merchantId: string;
            merchantCode: string;
            notificationUrl: string;
            isDefault: boolean;
            isActive: boolean;
            currencyCode: string;
            phoneNumber: string;
            channel: string;
            accounts: components["schemas"]["BankNumber"][];
            createdAt: string;
            updatedAt: string;
        };
        AccountNameDecisionRequest: {
            accountName: string;
            reason?: string;
        };
        AccountRequest: {
            accountName: string;
            bvn: string;
            email: string;
            merchantId: string;
            merchantCode: string;
            notificationUrl: string;
            phoneNumber: string;
            channel: string;
            payerRules?: components["schemas"]["PayerRulesRequest"];
            nin?: string;
            kycTier?: 1 | 2 | 3;
            verifiedName?: string;
            banks?: string[];
            splitCode?: string;
        };
        AccountResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Account"];
        };
        AccountUpdatedEvent: {
            id: string;
            /** @constant */
            type: "account.updated";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                id: number;
                bankCode: string;
                accountNumber: string;
                accountName: string;
                email: string;
                accountBalance: number;
                merchantId: string;
                merchantCode: string;
                notificationUrl: string;
                isDefault: boolean;
                isActive: boolean;
                currencyCode: string;
                phoneNumber: string;
                channel: string;
                accounts: components["schemas"]["BankNumber"][];
                createdAt: string;
                updatedAt: string;
                changes: string[];
            };
        };
        AccountingDay: {
            day: string;
            isClosed: boolean;
            closedBy: string | null;
            closedAt: string | null;
            reason: string | null;
            unbalancedBanks: string[];
            journalHash: string | null;
            transfers: number | null;
            debit: number | null;
            credit: number | null;
            totals: components["schemas"]["AccountingTotal"][];
        };
        AccountingDayResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AccountingDay"];
        };
        AccountingDaysResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AccountingDay"][];
        };
        AccountingMonth: {
            month: string;
            isClosed: boolean;
            checks: components["schemas"]["MonthCheck"][];
            closings: components["schemas"]["MonthClosing"][];
            reopenings: components["schemas"]["MonthReopening"][];
        };
        AccountingMonthResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AccountingMonth"];
        };
        AccountingTotal: {
            currency: string;
            debit: number;
            credit: number;
        };
        AddedPasskey: {
            passkey: components["schemas"]["Passkey"];
            recoveryCodes: string[];
        };
        AddedPasskeyResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AddedPasskey"];
        };
        AdjustingEntry: {
            reference: string;
            differenceId: number;
            bankCode: string;
            currency: string;
            day: string;
            kind: string;
            account: string;
            amount: number;
            reason: string;
            state: string;
            requestedBy: string;
            requestedAt: string;
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            decisionReason: string | null;
        };
        AdjustingEntryPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AdjustingEntry"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        AdjustingEntryRequest: {
            differenceId: number;
            account: "shortfall" | "due_to_bank" | "bank_cost" | "stamp_duty" | "input_vat" | "write_off";
            /** @example -150.5 */
            amount: number;
            reason: string;
        };
        AdjustingEntryResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AdjustingEntry"];
        };
        Adjustment: {
            reference: string;
            kind: string;
            of: string;
            clientId: string | null;
            bankCode: string | null;
            amount: number;
            currency: string;
            reason: string;
            document: string | null;
            state: string;
            requestedBy: string;
            requestedAt: string;
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            decisionReason: string | null;
        };
        AdjustmentPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Adjustment"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        AdjustmentRequest: {
            kind: "recovery" | "write_off" | "reserve_use" | "provision" | "provision_release" | "withholding" | "withholding_reversal" | "not_withheld" | "wht_credit_note" | "wht_credit_note_reversal" | "wht_write_off";
            of: "receivable" | "shortfall" | "withholding";
            clientId?: string;
            bankCode?: string;
            /** @example 6000 */
            amount: number | string;
            reason: string;
            document?: string;
        };
        AdjustmentResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Adjustment"];
        };
        Advice: {
            adviceReference: string;
            merchantRef: string | null;
            amount: number;
            currency: string;
            narration: string | null;
            status: string;
            customerId: string | null;
            customerFullName: string;
            merchantName: string;
            paymentUrl: string;
            channels: string[];
            charge: number;
            customerCharge: number;
            merchantCharge: number;
            vatCharge: number;
            callBackUrl: string;
            notificationUrl: string | null;
            amountPolicy: string;
            expiresInSeconds: number;
            splitCode: string | null;
            splits: components["schemas"]["SplitShare"][];
            paymentReference: string | null;
            createdAt: string;
        };
        AdviceRecord: {
            adviceReference: string;
            merchantRef: string | null;
            amount: number;
            currency: string;
            narration: string | null;
            status: string;
            customerId: string | null;
            customerFullName: string;
            merchantName: string;
            paymentUrl: string;
            channels: string[];
            charge: number;
            customerCharge: number;
            merchantCharge: number;
            vatCharge: number;
            callBackUrl: string;
            notificationUrl: string | null;
            amountPolicy: string;
            expiresInSeconds: number;
            splitCode: string | null;
            splits: components["schemas"]["SplitShare"][];
            paymentReference: string | null;
            createdAt: string;
            amountPaid: number;
            refundedAmount: number;
            customerEmail: string | null;
            customerPhoneNumber: string | null;
            graceSeconds: number;
            expiresAt: string | null;
            closesAt: string | null;
            cancelledAt: string | null;
        };
        AdviceRecordPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AdviceRecord"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        AdviceRecordResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AdviceRecord"];
        };
        AdviceRequest: {
            /** @example 6000 */
            amount: number | string;
            /**
             * @default NGN
             * @enum {string}
             */
            currency?: "NGN";
            customer: {
                customerId?: string;
                customerFirstName?: string;
                customerLastName?: string;
                customerFullName?: string;
                customerEmail?: string;
                customerPhoneNumber?: string;
            };
            callBackUrl: string;
            notificationUrl?: string;
            merchantRef?: string;
            narration?: string;
            expiresInSeconds?: number;
            graceSeconds?: number;
            amountPolicy?: "exact" | "allow_under" | "any";
            payerRules?: components["schemas"]["PayerRulesRequest"];
            splitCode?: string;
        };
        AdviceResponse: {
            requestSuccessful: boolean;
            message: string;
            responseCode: string;
            responseData: components["schemas"]["Advice"];
            warnings?: components["schemas"]["Warning"][];
        };
        AgedDifferences: {
            bankCode: string;
            currency: string;
            bucket: string;
            count: number;
            amount: number;
            unowned: number;
        };
        AgedSuspense: {
            bankCode: string;
            clientId: string | null;
            currency: string;
            reason: string;
            bucket: "0-1" | "2-7" | "8-30" | "31-60" | "61-90" | "91-180" | "181-365" | "365+";
            count: number;
            amount: number;
        };
        AgedSuspenseTotal: {
            currency: string;
            bucket: "0-1" | "2-7" | "8-30" | "31-60" | "61-90" | "91-180" | "181-365" | "365+";
            count: number;
            amount: number;
        };
        Alert: {
            id: number;
            kind: string;
            severity: string;
            title: string;
            remedy: string;
            subject: string;
            detail: {
                [key: string]: unknown;
            };
            isOpen: boolean;
            raisedAt: string;
            acknowledgedAt: string | null;
            acknowledgedBy: string | null;
            clearedAt: string | null;
        };
        AlertPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Alert"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        AlertRaisedEvent: {
            id: string;
            /** @constant */
            type: "alert.raised";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                id: number;
                kind: string;
                title: string;
                remedy: string;
                subject: string;
                detail: {
                    [key: string]: unknown;
                };
                raisedAt: string;
                reversal?: components["schemas"]["EventReversal"];
            };
        };
        AlertResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Alert"];
        };
        AmountChange: {
            from: number;
            to: number;
            changedBy: string;
            changedAt: string;
        };
        ApprovalRequest: {
            id: number;
            itemId: number | null;
            itemState: string | null;
            itemReason: string | null;
            amount: number | null;
            requestedAmount: number | null;
            amountChanges: components["schemas"]["AmountChange"][];
            currency: string | null;
            sourceAccountName: string | null;
            action: string;
            assignTo: string | null;
            reason: string;
            state: string;
            requestedBy: string;
            requestedAt: string;
            isOwn: boolean;
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            decisionReason: string | null;
        };
        ApprovalRequestPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ApprovalRequest"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ApprovalRequestResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ApprovalRequest"];
        };
        AssignRequest: {
            accountNumber?: string;
            paymentReference?: string;
            note?: string;
        };
        AssignmentRequest: {
            owner: string;
            from?: string;
        };
        AuditLogEntry: {
            id: number;
            actor: string;
            action: string;
            subject: string;
            detail: {
                [key: string]: unknown;
            };
            takenAt: string;
        };
        AuditLogEntryPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["AuditLogEntry"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        Balance: {
            currency: string;
            gross: number;
            net: number;
            suspended: number;
            collected: number;
            pending: number;
            inSuspense: number;
            returning: number;
            returned: number;
            reversed: number;
            fees: number;
            available: number;
            subaccounts: number;
            reserved: number;
            held: number;
            forfeited: number;
            inTransit: number;
            paidOut: number;
            refunded: number;
            payoutFees: number;
            receivable: number;
            writtenOff: number;
            withheldTax: number;
        };
        Balances: {
            totals: components["schemas"]["Balance"][];
            merchants: components["schemas"]["MerchantBalance"][];
            merchantsNextCursor: string | null;
            subaccounts: components["schemas"]["SubaccountBalance"][];
            subaccountsNextCursor: string | null;
        };
        BalancesResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Balances"];
        };
        Bank: {
            code: string;
            name: string;
            issuesAccountNumbers: boolean;
        };
        BankAccount: {
            reference: string;
            bankCode: string;
            bankName: string | null;
            accountNumberMasked: string;
            accountNumber: string | null;
            accountName: string;
            nameAtBank: string | null;
            status: string;
            isDefault: boolean;
            isActive: boolean;
            createdAt: string;
            enquiredAt: string | null;
        };
        BankAccountPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["BankAccount"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        BankAccountRequest: {
            bankCode: string;
            accountNumber: string;
            accountName: string;
        };
        BankAccountResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["BankAccount"];
        };
        BankCharges: {
            fee: number;
            vat: number;
            duty: number;
        };
        BankHealth: {
            code: string;
            name: string;
            connector: string;
            lastHeardAt: string | null;
            silentSince: string | null;
            lagP50: number | null;
            lagP99: number | null;
            queries: number;
            errorRate: number | null;
            foundByRequery: number;
            isLosing: boolean;
            openQuestions: number;
            circuit: "closed" | "open" | "half_open";
            circuitUntil: string | null;
            abandonedReservations: {
                reference: string;
                accountNumber: string | null;
                askedAt: string;
            }[];
            canFind: boolean;
            canList: boolean;
            routing: components["schemas"]["BankRoutings"];
        };
        BankHealthsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["BankHealth"][];
        };
        BankItem: {
            kind: string;
            id: string;
            amount: number;
            day: string;
            reference: string | null;
            accountNumber: string | null;
            name: string | null;
        };
        BankNumber: {
            bankCode: string;
            bankName: string;
            accountNumber: string;
        };
        BankRouting: {
            state: "in_use" | "returning" | "left" | "unknown";
            since: string | null;
            reason: string | null;
            retryAt: string | null;
        };
        BankRoutings: {
            payments: components["schemas"]["BankRouting"] | null;
            payouts: components["schemas"]["BankRouting"] | null;
        };
        BanksResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Bank"][];
        };
        Branding: {
            name: string;
            colour: string;
            isOwnName: boolean;
            isOwnColour: boolean;
            accountName: string;
            pendingAccountName: string | null;
            isOwnAccountName: boolean;
            accountNameStyle: string;
            supportEmail: string | null;
            supportPhone: string | null;
            supportUrl: string | null;
            logo: components["schemas"]["Logo"] | null;
        };
        BrandingRequest: {
            name: string | null;
            colour: string | null;
            accountName?: string | null;
            supportEmail?: string | null;
            supportPhone?: string | null;
            supportUrl?: string | null;
            logo?: string | null;
        };
        BrandingResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Branding"];
        };
        BulkAccount: {
            id: number;
            bankCode: string;
            accountNumber: string;
            accountName: string;
            email: string;
            accountBalance: number;
            merchantId: string;
            merchantCode: string;
            notificationUrl: string;
            isDefault: boolean;
            isActive: boolean;
            currencyCode: string;
            phoneNumber: string;
            channel: string;
            accounts: components["schemas"]["BankNumber"][];
            createdAt: string;
            updatedAt: string;
            bvnMasked: string;
            ninMasked: string | null;
            kycTier: number;
            kycTierSet: number;
            limitTier: number;
            identity: {
                bvn: components["schemas"]["IdentityCheck"];
                nin: components["schemas"]["IdentityCheck"];
            };
            verifiedName: string | null;
            payerRules: components["schemas"]["PayerRules"];
            limits: components["schemas"]["LimitsInForce"];
            ownLimits: components["schemas"]["OwnLimits"];
            limitProfile: string | null;
            splitCode: string | null;
            version: number;
        } | null;
        BulkAssignmentRequest: {
            ids: number[];
            owner: string;
        };
        BulkResolutionRequest: {
            ids: number[];
            action: "book" | "match" | "note";
            reason: string;
        };
        BulkResult: {
            index: number;
            isSuccessful: boolean;
            message: string;
            code: string | null;
            data: components["schemas"]["BulkAccount"];
            errors: components["schemas"]["FieldError"][];
        };
        BulkResults: {
            accepted: number;
            refused: number;
            results: components["schemas"]["BulkResult"][];
        };
        BulkResultsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["BulkResults"];
        };
        Case: {
            reference: string;
            kind: "bank_report" | "payer_report" | "own_rule";
            summary: string;
            clientId: string | null;
            amount: number | null;
            reporterReference: string | null;
            state: "open" | "investigating" | "closed";
            outcome: string | null;
            isJoint: boolean;
            nextDueAt: string | null;
            nextDeadline: string | null;
            reportedAt: string;
            openedBy: string;
            openedAt: string;
            closedAt: string | null;
            erasedAt: string | null;
            parties: components["schemas"]["CaseParty"][];
            notes: components["schemas"]["CaseNote"][];
            evidence: components["schemas"]["CaseEvidence"][];
            credits: components["schemas"]["CaseCredit"][];
            holds: components["schemas"]["CaseHold"][];
            deadlines: components["schemas"]["CaseDeadline"][];
            history: components["schemas"]["CaseChange"][];
        };
        CaseChange: {
            change: string;
            detail: {
                [key: string]: unknown;
            };
            changedBy: string;
            changedAt: string;
        };
        CaseCredit: {
            sessionId: string;
            bankCode: string;
            accountNumber: string;
            amount: number;
            currency: string;
            outcome: string;
            receivedAt: string;
        };
        CaseDeadline: {
            name: "report" | "notify" | "acknowledge" | "respond" | "resolve" | "resolve_joint" | "reimburse";
            clock: "payment" | "report" | "investigation_end";
            state: "waiting" | "running" | "met" | "missed" | "ended";
            startedAt: string | null;
            dueAt: string | null;
            metAt: string | null;
            metBy: string | null;
            source: string;
            sourceDate: string | null;
        };
        CaseDeadlineRequest: {
            unit: "minutes" | "business_days";
            length: number;
            warnMinutes: number;
            source: string;
            sourceDate?: string;
            validFrom?: string;
        };
        CaseDeadlineRule: {
            name: "report" | "notify" | "acknowledge" | "respond" | "resolve" | "resolve_joint" | "reimburse";
            clock: "payment" | "report" | "investigation_end";
            validFrom: string;
            kinds: string[];
            unit: "minutes" | "business_days";
            length: number;
            warnMinutes: number;
            source: string;
            sourceDate: string | null;
            updatedBy: string | null;
            updatedAt: string;
        };
        CaseDeadlineRulePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["CaseDeadlineRule"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        CaseDeadlineRuleResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["CaseDeadlineRule"];
        };
        CaseEvidence: {
            id: number;
            name: string;
            mediaType: string;
            sizeBytes: number;
            sha256: string;
            addedBy: string;
            addedAt: string;
        };
        CaseExport: {
            /** @example manilla-case-1 */
            format: string;
            exportedAt: string;
            /** @example user:ada.obi@example.com */
            exportedBy: string;
            caseSha256: string;
            case: components["schemas"]["Case"];
            files: components["schemas"]["CaseExportFile"][];
        };
        CaseExportFile: {
            name: string;
            mediaType: string;
            sizeBytes: number;
            sha256: string;
            /** @example JVBERi0xLjcK */
            contentBase64: string;
        };
        CaseHold: {
            reference: string;
            state: string;
            heldAmount: number;
            forfeitedAmount: number;
            currency: string;
            placedAt: string;
        };
        CaseNote: {
            note: string;
            writtenBy: string;
            writtenAt: string;
        };
        CaseOutline: {
            reference: string;
            kind: "bank_report" | "payer_report" | "own_rule";
            summary: string;
            clientId: string | null;
            amount: number | null;
            reporterReference: string | null;
            state: "open" | "investigating" | "closed";
            outcome: string | null;
            isJoint: boolean;
            nextDueAt: string | null;
            nextDeadline: string | null;
            reportedAt: string;
            openedBy: string;
            openedAt: string;
            closedAt: string | null;
            erasedAt: string | null;
        };
        CaseOutlinePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["CaseOutline"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        CaseParty: {
            role: "reporter" | "payer" | "payee" | "bank" | "other";
            name: string | null;
            accountNumber: string | null;
            bankCode: string | null;
            contact: string | null;
            addedBy: string;
            addedAt: string;
        };
        CasePartyRequest: {
            role: "reporter" | "payer" | "payee" | "bank" | "other";
            name?: string;
            accountNumber?: string;
            bankCode?: string;
            contact?: string;
        };
        CaseRequest: {
            kind: "bank_report" | "payer_report" | "own_rule";
            summary: string;
            clientId?: string;
            /** @example 6000 */
            amount?: number | string;
            reporterReference?: string;
            isJoint?: boolean;
            reportedAt?: string;
            sessionIds?: string[];
            parties?: components["schemas"]["CasePartyRequest"][];
        };
        CaseResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Case"];
        };
        ChatTest: {
            ok: boolean;
            problem: string | null;
        };
        ChatTestResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ChatTest"];
        };
        ClientDetail: {
            clientId: string;
            name: string;
            isActive: boolean;
            suspendedAt: string | null;
            suspensionReason: string | null;
            accountName: string;
            pendingAccountName: string | null;
            isOperator: boolean;
            scopes: string[];
            merchantCodes: string[] | null;
            allowedAddresses: string[] | null;
            createdAt: string;
            secrets: components["schemas"]["ClientSecret"][];
        };
        ClientDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ClientDetail"];
        };
        ClientSecret: {
            keyId: string;
            createdAt: string;
            retiresAt: string | null;
            usedAt: string | null;
        };
        ClientUsage: {
            clientId: string;
            days: components["schemas"]["ClientUsageDay"][];
        };
        ClientUsageDay: {
            from: string;
            accounts: number;
            advices: number;
            payments: number;
            credits: number;
            gross: number;
            webhooks: number;
        };
        ClientUsageResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ClientUsage"];
        };
        ClientWithSecret: {
            clientId: string;
            name: string;
            isActive: boolean;
            suspendedAt: string | null;
            suspensionReason: string | null;
            accountName: string;
            pendingAccountName: string | null;
            isOperator: boolean;
            scopes: string[];
            merchantCodes: string[] | null;
            allowedAddresses: string[] | null;
            createdAt: string;
            secrets: components["schemas"]["ClientSecret"][];
            secret: string;
        };
        ClientWithSecretResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ClientWithSecret"];
        };
        CloseSettlementRequest: {
            cutOff?: string;
        };
        CollectionCeiling: {
            tier: number;
            perCredit: number | null;
            perDay: number | null;
            balanceMax: number | null;
        };
        CollectionCeilings: {
            tiers: components["schemas"]["CollectionCeiling"][];
        };
        CollectionCeilingsRequest: {
            tiers: {
                tier: 1 | 2 | 3;
                perCredit?: (number | string) | null;
                perDay?: (number | string) | null;
                balanceMax?: (number | string) | null;
            }[];
        };
        CollectionCeilingsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["CollectionCeilings"];
        };
        CollectionReceivedEvent: {
            id: string;
            /** @constant */
            type: "collection.received";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                id: number;
                bankCode: string;
                accountNumber: string;
                accountName: string;
                email: string;
                accountBalance: number;
                merchantId: string;
                merchantCode: string;
                notificationUrl: string;
                isDefault: boolean;
                isActive: boolean;
                currencyCode: string;
                phoneNumber: string;
                channel: string;
                accounts: components["schemas"]["BankNumber"][];
                createdAt: string;
                updatedAt: string;
                credit?: components["schemas"]["EventCredit"];
            };
        };
        CollectionRefundEventData: {
            id: number;
            bankCode: string;
            accountNumber: string;
            accountName: string;
            email: string;
            accountBalance: number;
            merchantId: string;
            merchantCode: string;
            notificationUrl: string;
            isDefault: boolean;
            isActive: boolean;
            currencyCode: string;
            phoneNumber: string;
            channel: string;
            accounts: components["schemas"]["BankNumber"][];
            createdAt: string;
            updatedAt: string;
            refundedAmount: number;
            refund: components["schemas"]["EventRefund"];
            credit?: components["schemas"]["EventCredit"];
        };
        CollectionRefundFailedEvent: {
            id: string;
            /** @constant */
            type: "collection.refund_failed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["CollectionRefundEventData"];
        };
        CollectionRefundedEvent: {
            id: string;
            /** @constant */
            type: "collection.refunded";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["CollectionRefundEventData"];
        };
        CollectionReversedEvent: {
            id: string;
            /** @constant */
            type: "collection.reversed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                id: number;
                bankCode: string;
                accountNumber: string;
                accountName: string;
                email: string;
                accountBalance: number;
                merchantId: string;
                merchantCode: string;
                notificationUrl: string;
                isDefault: boolean;
                isActive: boolean;
                currencyCode: string;
                phoneNumber: string;
                channel: string;
                accounts: components["schemas"]["BankNumber"][];
                createdAt: string;
                updatedAt: string;
                amountReversed: number;
                reversal?: components["schemas"]["EventReversal"];
                credit?: components["schemas"]["EventCredit"];
            };
        };
        Credit: {
            id: number;
            sessionId: string;
            identifiers: components["schemas"]["CreditIdentifier"][];
            source: "notification" | "requery" | "statement" | "sandbox";
            bankCode: string;
            bankName: string;
            accountNumber: string;
            amount: number;
            charges: components["schemas"]["BankCharges"];
            netAmount: number;
            currency: string;
            outcome: "booked" | "suspended" | "assigned" | "returned" | "reversed";
            reason: string | null;
            amountBooked: number;
            merchantFee: number;
            merchantFeeVat: number;
            netToMerchant: number;
            splits: components["schemas"]["SplitShare"][];
            amountSuspended: number;
            amountReturned: number;
            amountReversed: number;
            amountShortfall: number;
            amountReceivable: number;
            refundedAmount: number;
            sourceAccountName: string | null;
            sourceAccountNumberMasked: string | null;
            sourceBankCode: string | null;
            narration: string | null;
            paymentReference: string | null;
            adviceReference: string | null;
            merchantRef: string | null;
            collectionAccountNumber: string | null;
            transactionTime: string | null;
            receivedAt: string;
            judgedBy: "bank_time" | "arrival" | null;
            locations: components["schemas"]["CreditLocation"][];
        };
        CreditAssignedEvent: {
            id: string;
            /** @constant */
            type: "credit.assigned";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                id: number;
                sessionId: string;
                bankCode: string;
                accountNumber: string;
                amount: number;
                currency: string;
                sourceAccountName: string | null;
                sourceAccountNumberMasked: string | null;
                sourceBankCode: string | null;
                narration: string | null;
                receivedAt: string;
                merchantFee: number;
                merchantFeeVat: number;
                netToMerchant: number;
                splits: components["schemas"]["SplitShare"][];
                bankName: string;
                transactionTime: string | null;
                paymentReference: string | null;
                adviceReference: string | null;
                merchantRef: string | null;
                collectionAccountNumber: string | null;
                outcome: string;
                reason: string | null;
                amountAssigned: number;
            };
        };
        CreditDetail: {
            id: number;
            sessionId: string;
            identifiers: components["schemas"]["CreditIdentifier"][];
            source: "notification" | "requery" | "statement" | "sandbox";
            bankCode: string;
            bankName: string;
            accountNumber: string;
            amount: number;
            charges: components["schemas"]["BankCharges"];
            netAmount: number;
            currency: string;
            outcome: "booked" | "suspended" | "assigned" | "returned" | "reversed";
            reason: string | null;
            amountBooked: number;
            merchantFee: number;
            merchantFeeVat: number;
            netToMerchant: number;
            splits: components["schemas"]["SplitShare"][];
            amountSuspended: number;
            amountReturned: number;
            amountReversed: number;
            amountShortfall: number;
            amountReceivable: number;
            refundedAmount: number;
            sourceAccountName: string | null;
            sourceAccountNumberMasked: string | null;
            sourceBankCode: string | null;
            narration: string | null;
            paymentReference: string | null;
            adviceReference: string | null;
            merchantRef: string | null;
            collectionAccountNumber: string | null;
            transactionTime: string | null;
            receivedAt: string;
            judgedBy: "bank_time" | "arrival" | null;
            locations: components["schemas"]["CreditLocation"][];
            suspense: {
                id: string;
                amount: number;
                reason: string;
                state: string;
                assignedAccountNumber: string | null;
                assignedPaymentReference: string | null;
                returnReference: string | null;
                bankReference: string | null;
                failureReason: string | null;
                returns: components["schemas"]["CreditReturn"][];
                openedAt: string;
                closedAt: string | null;
            }[];
            reversals: {
                sessionId: string;
                amount: number;
                shortfall: number;
                receivable: number;
                receivedAt: string;
            }[];
            transfers: {
                amount: number;
                reason: string;
                from: components["schemas"]["LedgerSide"];
                to: components["schemas"]["LedgerSide"];
                postedAt: string;
            }[];
            events: {
                id: string;
                type: string;
                sequence: number;
                createdAt: string;
            }[];
        };
        CreditDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["CreditDetail"];
        };
        CreditIdentifier: {
            kind: "session_id" | "settlement_id" | "bank_reference" | "clearing_reference" | "uetr";
            value: string;
        };
        CreditLocation: {
            amount: number;
            place: "collection_account" | "payment" | "suspense" | "returning" | "returned" | "reversed";
            reference: string | null;
            reason: string | null;
            description: string;
        };
        CreditPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Credit"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        CreditReturn: {
            reference: string;
            status: string;
            amount: number;
            bankReference: string | null;
            failureReason: string | null;
            requestedAt: string;
            settledAt: string | null;
        };
        CreditReturnFailedEvent: {
            id: string;
            /** @constant */
            type: "credit.return_failed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                id: number;
                sessionId: string;
                bankCode: string;
                accountNumber: string;
                amount: number;
                currency: string;
                sourceAccountName: string | null;
                sourceAccountNumberMasked: string | null;
                sourceBankCode: string | null;
                narration: string | null;
                receivedAt: string;
                merchantFee: number;
                merchantFeeVat: number;
                netToMerchant: number;
                splits: components["schemas"]["SplitShare"][];
                bankName: string;
                transactionTime: string | null;
                paymentReference: string | null;
                adviceReference: string | null;
                merchantRef: string | null;
                collectionAccountNumber: string | null;
                outcome: string;
                reason: string | null;
                amountSuspended: number;
                returnReference: string;
                failureReason: string | null;
            };
        };
        CreditReturnedEvent: {
            id: string;
            /** @constant */
            type: "credit.returned";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                id: number;
                sessionId: string;
                bankCode: string;
                accountNumber: string;
                amount: number;
                currency: string;
                sourceAccountName: string | null;
                sourceAccountNumberMasked: string | null;
                sourceBankCode: string | null;
                narration: string | null;
                receivedAt: string;
                merchantFee: number;
                merchantFeeVat: number;
                netToMerchant: number;
                splits: components["schemas"]["SplitShare"][];
                bankName: string;
                transactionTime: string | null;
                paymentReference: string | null;
                adviceReference: string | null;
                merchantRef: string | null;
                collectionAccountNumber: string | null;
                outcome: string;
                reason: string | null;
                amountReturned: number;
                returnReference: string;
                bankReference: string | null;
            };
        };
        CreditReversedEvent: {
            id: string;
            /** @constant */
            type: "credit.reversed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                id: number;
                sessionId: string;
                bankCode: string;
                accountNumber: string;
                amount: number;
                currency: string;
                sourceAccountName: string | null;
                sourceAccountNumberMasked: string | null;
                sourceBankCode: string | null;
                narration: string | null;
                receivedAt: string;
                merchantFee: number;
                merchantFeeVat: number;
                netToMerchant: number;
                splits: components["schemas"]["SplitShare"][];
                bankName: string;
                transactionTime: string | null;
                paymentReference: string | null;
                adviceReference: string | null;
                merchantRef: string | null;
                collectionAccountNumber: string | null;
                outcome: string;
                reason: string | null;
                amountReversed: number;
                amountShortfall?: number;
                amountReceivable?: number;
                reversal?: components["schemas"]["EventReversal"];
            };
        };
        CreditSuspendedEvent: {
            id: string;
            /** @constant */
            type: "credit.suspended";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                id: number;
                sessionId: string;
                bankCode: string;
                accountNumber: string;
                amount: number;
                currency: string;
                sourceAccountName: string | null;
                sourceAccountNumberMasked: string | null;
                sourceBankCode: string | null;
                narration: string | null;
                receivedAt: string;
                merchantFee: number;
                merchantFeeVat: number;
                netToMerchant: number;
                splits: components["schemas"]["SplitShare"][];
                bankName: string;
                transactionTime: string | null;
                paymentReference: string | null;
                adviceReference: string | null;
                merchantRef: string | null;
                collectionAccountNumber: string | null;
                outcome: string;
                reason: string | null;
                amountSuspended: number;
            };
        };
        CsrfToken: {
            csrfToken: string;
        };
        CsrfTokenResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["CsrfToken"];
        };
        DailyProof: {
            bankCode: string;
            bankName: string;
            currency: string;
            day: string;
            status: string;
            statusText: string;
            computedAt: string;
            ledger: number | null;
            statement: number | null;
            timing: number | null;
            waiting: number | null;
            noted: number | null;
            difference: number | null;
            openDifferences: number;
            waitingDifferences: number;
            notedDifferences: number;
            isExpected: boolean;
            isClosed: boolean;
            differences: components["schemas"]["Difference"][];
            moreDifferences: boolean;
        };
        DailyProofResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["DailyProof"];
        };
        Deleted: {
            id: string;
        };
        DeletedLimitProfile: {
            code: string;
        };
        DeletedLimitProfileResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["DeletedLimitProfile"];
        };
        DeletedResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Deleted"];
        };
        Delivery: {
            kind: "endpoint" | "notification" | "callback";
            endpointId: string | null;
            url: string;
            state: "pending" | "delivered" | "failed";
            nextAttemptAt: string | null;
            heldBy: "paused" | "off" | null;
            createdAt: string;
            deliveredAt: string | null;
        };
        DeliveryAttempt: {
            attempt: number;
            attemptedAt: string;
            status: number | null;
            latencyMs: number;
            error: string | null;
            responseStart: string | null;
            requestHeaders: {
                [key: string]: string;
            } | null;
            chaos: "delayed" | "reordered" | "dropped" | "repeated" | null;
        };
        DeliveryDetail: {
            kind: "endpoint" | "notification" | "callback";
            endpointId: string | null;
            url: string;
            state: "pending" | "delivered" | "failed";
            nextAttemptAt: string | null;
            heldBy: "paused" | "off" | null;
            createdAt: string;
            deliveredAt: string | null;
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        DeliveryDetailPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["DeliveryDetail"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        Difference: {
            id: number;
            bankCode: string;
            currency: string;
            day: string;
            kind: string;
            amount: number;
            state: string;
            isTiming: boolean;
            ageDays: number;
            ageBucket: string;
            owner: components["schemas"]["DifferenceOwner"] | null;
            ownedAt: string | null;
            line: components["schemas"]["StatementLine"] | null;
            item: components["schemas"]["BankItem"] | null;
            credit: components["schemas"]["DifferenceCredit"] | null;
            payer: components["schemas"]["PayerComparison"] | null;
            payout: components["schemas"]["DifferencePayout"] | null;
            statementId: string | null;
            suggestion: components["schemas"]["BankItem"] | null;
            readings: string[];
            actions: string[];
            adjustingAccounts: string[];
            adjustingEntry: string | null;
            action: string | null;
            reason: string | null;
            askedBy: string | null;
            askedAt: string | null;
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            openedAt: string;
        };
        DifferenceChange: {
            change: string;
            actor: string | null;
            detail: {
                [key: string]: unknown;
            };
            changedAt: string;
        };
        DifferenceCredit: {
            creditId: number;
            sessionId: string | null;
            accountNumber: string | null;
            amount: number;
        };
        DifferenceDetail: {
            id: number;
            bankCode: string;
            currency: string;
            day: string;
            kind: string;
            amount: number;
            state: string;
            isTiming: boolean;
            ageDays: number;
            ageBucket: string;
            owner: components["schemas"]["DifferenceOwner"] | null;
            ownedAt: string | null;
            line: components["schemas"]["StatementLine"] | null;
            item: components["schemas"]["BankItem"] | null;
            credit: components["schemas"]["DifferenceCredit"] | null;
            payer: components["schemas"]["PayerComparison"] | null;
            payout: components["schemas"]["DifferencePayout"] | null;
            statementId: string | null;
            suggestion: components["schemas"]["BankItem"] | null;
            readings: string[];
            actions: string[];
            adjustingAccounts: string[];
            adjustingEntry: string | null;
            action: string | null;
            reason: string | null;
            askedBy: string | null;
            askedAt: string | null;
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            openedAt: string;
            history: components["schemas"]["DifferenceChange"][];
        };
        DifferenceDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["DifferenceDetail"];
        };
        DifferenceOwner: {
            id: string;
            email: string;
            hasAccess: boolean;
        };
        DifferenceOwnersResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["DifferenceOwner"][];
        };
        DifferencePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Difference"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        DifferencePayout: {
            reference: string;
            status: string;
            amount: number;
            booking: string | null;
        };
        EndedSessions: {
            ended: number;
        };
        EndedSessionsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["EndedSessions"];
        };
        EndpointDisabledEvent: {
            id: string;
            /** @constant */
            type: "endpoint.disabled";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                id: string | null;
                url: string;
                isActive: boolean;
                reason: string;
                failingSince: string | null;
            };
        };
        EndpointHealth: {
            failures: number;
            failingSince: string | null;
            pausedUntil: string | null;
            disabledWhy: string | null;
        };
        EndpointHealthDetail: {
            failures: number;
            failingSince: string | null;
            pausedUntil: string | null;
            disabledWhy: string | null;
            lastAttempts: {
                eventId: string;
                attempt: number;
                attemptedAt: string;
                status: number | null;
                latencyMs: number;
                error: string | null;
                responseStart: string | null;
                requestHeaders: {
                    [key: string]: string;
                } | null;
                chaos: "delayed" | "reordered" | "dropped" | "repeated" | null;
            }[];
        };
        EndpointTestEvent: {
            id: string;
            /** @constant */
            type: "endpoint.test";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                endpointId: string;
                message: string;
            };
        };
        ErasedAccounts: {
            accounts: {
                accountNumber: string;
                erasedAt: string;
                isComplete: boolean;
            }[];
        };
        ErasedAccountsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ErasedAccounts"];
        };
        ErasedAdvice: {
            adviceReference: string;
            erasedAt: string;
            isComplete: boolean;
        };
        ErasedAdviceResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ErasedAdvice"];
        };
        Event: {
            id: string;
            type: "account.created" | "account.updated" | "account.deactivated" | "account.activated" | "account.erased" | "collection.received" | "collection.reversed" | "collection.refunded" | "collection.refund_failed" | "payment.processing" | "payment.part_paid" | "payment.extended" | "payment.successful" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.refunded" | "payment.refund_failed" | "credit.suspended" | "credit.assigned" | "credit.returned" | "credit.return_failed" | "credit.reversed" | "payout.confirmed" | "payout.failed" | "payout.returned" | "settlement.closed" | "settlement.paid" | "settlement.failed" | "hold.placed" | "hold.released" | "hold.forfeited" | "alert.raised" | "endpoint.disabled" | "endpoint.test";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                [key: string]: unknown;
            };
            deliveryState: "none" | "pending" | "delivered" | "failed";
            deliveries?: components["schemas"]["Delivery"][];
        };
        EventCredit: {
            sessionId: string;
            bankCode: string;
            accountNumber: string;
            amount: number;
            currency: string;
            sourceAccountName: string | null;
            sourceAccountNumberMasked: string | null;
            sourceBankCode: string | null;
            narration: string | null;
            receivedAt: string;
            merchantFee: number;
            merchantFeeVat: number;
            netToMerchant: number;
            splits: components["schemas"]["SplitShare"][];
        };
        EventDetail: {
            id: string;
            type: "account.created" | "account.updated" | "account.deactivated" | "account.activated" | "account.erased" | "collection.received" | "collection.reversed" | "collection.refunded" | "collection.refund_failed" | "payment.processing" | "payment.part_paid" | "payment.extended" | "payment.successful" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.refunded" | "payment.refund_failed" | "credit.suspended" | "credit.assigned" | "credit.returned" | "credit.return_failed" | "credit.reversed" | "payout.confirmed" | "payout.failed" | "payout.returned" | "settlement.closed" | "settlement.paid" | "settlement.failed" | "hold.placed" | "hold.released" | "hold.forfeited" | "alert.raised" | "endpoint.disabled" | "endpoint.test";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                [key: string]: unknown;
            };
            deliveryState: "none" | "pending" | "delivered" | "failed";
            deliveries: components["schemas"]["DeliveryDetail"][];
        };
        EventDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["EventDetail"];
        };
        EventPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Event"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        EventRefund: {
            reference: string;
            amount: number;
            bankReference: string | null;
            failureReason: string | null;
        };
        EventReversal: {
            sessionId: string;
            amount: number;
            shortfall: number;
            receivable?: number;
        };
        ExtendAdviceRequest: {
            expiresAt?: string;
            seconds?: number;
        };
        FeeQuote: {
            amount: number;
            fee: number;
            vat: number;
            net: number;
            customerPays: number;
        };
        FeeQuoteRequest: {
            /** @example 6000 */
            amount: number | string;
            bps?: number;
            flat?: (number | string) | null;
            min?: (number | string) | null;
            cap?: (number | string) | null;
            waiveFlatBelow?: (number | string) | null;
            vatBps?: number;
            vatIncluded?: boolean;
        };
        FeeQuoteResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["FeeQuote"];
        };
        FeeRule: {
            id: number;
            clientId: string;
            merchantCode: string | null;
            code: string;
            basis: string;
            bps: number;
            flat: number;
            min: number;
            cap: number | null;
            waiveFlatBelow: number;
            vatBps: number;
            vatIncluded: boolean;
            bearer: string;
            effectiveFrom: string;
            effectiveTo: string | null;
            createdAt: string;
        };
        FeeRulePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["FeeRule"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        FeeRuleRequest: {
            clientId: string;
            merchantCode?: string | null;
            code: string;
            basis: "credit" | "payout";
            bps?: number;
            flat?: (number | string) | null;
            min?: (number | string) | null;
            cap?: (number | string) | null;
            waiveFlatBelow?: (number | string) | null;
            vatBps?: number;
            vatIncluded?: boolean;
            bearer: "merchant" | "customer" | "subaccount";
            effectiveFrom?: string;
        };
        FeeRuleResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["FeeRule"];
        };
        FieldError: {
            field: string;
            message: string;
        };
        Hold: {
            reference: string;
            clientId: string | null;
            target: "credit" | "account" | "merchant" | "client" | "person";
            sessionId: string | null;
            accountNumber: string | null;
            merchantCode: string | null;
            bvnMasked: string | null;
            person: string | null;
            accounts: number | null;
            amount: number | null;
            heldAmount: number;
            forfeitedAmount: number;
            currency: string;
            reason: string;
            case: string | null;
            deadline: string | null;
            state: "active" | "released" | "forfeited";
            placedBy: string;
            placedAt: string;
            endedAt: string | null;
        };
        HoldEnding: {
            id: number;
            hold: string;
            clientId: string | null;
            kind: string;
            amount: number | null;
            reason: string;
            state: string;
            requestedBy: string;
            requestedAt: string;
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            decisionReason: string | null;
        };
        HoldEndingPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["HoldEnding"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        HoldEndingResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["HoldEnding"];
        };
        HoldEventData: {
            reference: string;
            target: string;
            sessionId: string | null;
            accountNumber: string | null;
            merchantCode: string | null;
            currency: string;
            amount?: number;
            held: number;
            forfeited: number;
            state: string;
            placedAt: string;
            endedAt: string | null;
        };
        HoldForfeitedEvent: {
            id: string;
            /** @constant */
            type: "hold.forfeited";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["HoldEventData"];
        };
        HoldPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Hold"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        HoldPlacedEvent: {
            id: string;
            /** @constant */
            type: "hold.placed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["HoldEventData"];
        };
        HoldReleasedEvent: {
            id: string;
            /** @constant */
            type: "hold.released";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["HoldEventData"];
        };
        HoldRequest: {
            target: "credit" | "account" | "merchant" | "client" | "person";
            clientId?: string;
            bvn?: string;
            sessionId?: string;
            accountNumber?: string;
            merchantCode?: string;
            /** @example 6000 */
            amount?: number | string;
            reason: string;
            case?: string;
            deadline?: string;
        };
        HoldResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Hold"];
        };
        Holiday: {
            date: string;
            name: string;
            status: "confirmed" | "expected";
            source: string;
            updatedBy: string | null;
            updatedAt: string;
        };
        HolidayPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Holiday"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        HolidayRequest: {
            name: string;
            status: "confirmed" | "expected";
            source: string;
        };
        HolidayResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Holiday"];
        };
        IdentityCheck: {
            status: "not_checked" | "queued" | "verified" | "name_mismatch" | "not_found" | "unanswered";
            nameScore: number | null;
            checkedAt: string | null;
        };
        IdentityConfirmation: {
            password?: string;
            code?: string;
            passkey?: components["schemas"]["PasskeyAssertion"];
        };
        ImportedStatements: {
            importId: string;
            isUnchanged: boolean;
            statementId: string;
            lines: number;
            newLines: number;
            opening: number;
            closing: number;
            matched: number;
            differences: number;
            statements: components["schemas"]["Statement"][];
        };
        ImportedStatementsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ImportedStatements"];
        };
        InitiatedPayment: {
            bankName: string;
            bankCode: string;
            bankAccount: string;
            paymentReference: string;
            status: string;
            message: string;
            amount: number;
            amountPaid: number;
            callBackUrl: string;
            customerName: string;
            expiresAt?: string;
            accountName: string;
        };
        InitiatedPaymentResponse: {
            requestSuccessful: boolean;
            message: string;
            responseCode: string;
            responseData: components["schemas"]["InitiatedPayment"];
            warnings?: components["schemas"]["Warning"][];
        };
        InputVat: {
            bankCode: string | null;
            currency: string;
            costs: number;
            vat: number;
        };
        Institution: {
            code: string;
            name: string;
            kind: "commercial" | "merchant" | "non_interest" | "microfinance" | "mobile_money" | "payment_service_bank" | "mortgage" | "other";
            cbnCode: string | null;
            nipCode: string | null;
            aliases: string[];
            otherNames: string[];
            canBePaid: boolean;
            checksNuban: boolean | null;
        };
        InstitutionsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Institution"][];
        };
        IntegrityReport: {
            isOk: boolean | null;
            startedAt: string | null;
            finishedAt: string | null;
            isOverdue: boolean;
            checks: {
                name: string;
                isOk: boolean;
                findings: number;
            }[];
            findings: {
                check: string;
                subject: string;
                expected: string;
                found: string;
            }[] | null;
        };
        IntegrityReportResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["IntegrityReport"];
        };
        Invitation: {
            email: string;
            clientName: string;
            expiresAt: string;
        };
        InvitationResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Invitation"];
        };
        IssuedVatInvoices: {
            month: string;
            invoices: number;
            creditNotes: number;
        };
        IssuedVatInvoicesResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["IssuedVatInvoices"];
        };
        Journal: {
            day: string;
            isClosed: boolean;
            journalHash: string | null;
            transfers: number;
            totals: components["schemas"]["AccountingTotal"][];
            lines: components["schemas"]["JournalLine"][];
        };
        JournalLine: {
            accountCode: string;
            accountName: string;
            clientId: string | null;
            bankCode: string | null;
            currency: string;
            reason: string;
            debit: number;
            credit: number;
        };
        JournalResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Journal"];
        };
        LedgerAccount: {
            id: number;
            kind: string;
            bankCode: string | null;
            accountNumber: string | null;
            accountName: string | null;
            subaccountCode: string | null;
            clientId: string | null;
            currency: string;
            balance: number;
            debits: number;
            credits: number;
            openedAt: string;
        };
        LedgerAccountPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["LedgerAccount"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        LedgerAccountResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["LedgerAccount"];
        };
        LedgerSide: {
            kind: string;
            accountNumber: string | null;
        };
        LedgerTotals: {
            currency: string;
            opening: number;
            debits: number;
            credits: number;
            closing: number;
            transfers: number;
        };
        LedgerTotalsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["LedgerTotals"];
        };
        LedgerTransfer: {
            id: number;
            reason: string;
            side: "debit" | "credit";
            direction: "in" | "out";
            amount: number;
            otherAccountId: number | null;
            otherKind: string;
            otherBankCode: string | null;
            creditId: number | null;
            sessionId: string | null;
            payoutReference: string | null;
            settlementReference: string | null;
            adjustmentId: number | null;
            differenceId: number | null;
            holdReference: string | null;
            postedAt: string;
        };
        LedgerTransferPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["LedgerTransfer"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        LimitProfile: {
            code: string;
            name: string;
            perCredit: number | null;
            perDay: number | null;
            balanceMax: number | null;
            tiers: number[];
            accounts: number;
            createdAt: string;
            updatedAt: string;
        };
        LimitProfilePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["LimitProfile"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        LimitProfileReplacement: {
            name: string;
            perCredit: (number | string) | null;
            perDay: (number | string) | null;
            balanceMax: (number | string) | null;
            tiers: (1 | 2 | 3)[];
        };
        LimitProfileRequest: {
            code: string;
            name: string;
            perCredit?: (number | string) | null;
            perDay?: (number | string) | null;
            balanceMax?: (number | string) | null;
            tiers?: (1 | 2 | 3)[];
        };
        LimitProfileResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["LimitProfile"];
        };
        Limits: {
            requestsPerMinute: {
                client: number | null;
                simulate: number | null;
                address: number | null;
                initiate: number | null;
                login: number | null;
            };
            newAccounts: {
                perCredit: number | null;
                perDay: number | null;
            };
            webhookEndpoints: number;
            expirySeconds: number;
            graceSeconds: number;
            tokenSeconds: number;
        };
        LimitsInForce: {
            perCredit: number | null;
            perDay: number | null;
            balanceMax: number | null;
        };
        LimitsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Limits"];
        };
        ListSummary: {
            count: number;
            isExact: boolean;
            totals: components["schemas"]["ListTotal"][] | null;
        };
        ListSummaryResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ListSummary"];
        };
        ListTotal: {
            currency: string;
            count: number;
            amount: number;
        };
        Logo: {
            path: string;
            width: number;
            height: number;
        };
        MerchantBalance: {
            merchantId: string;
            merchantCode: string;
            currency: string;
            accounts: number;
            collected: number;
            available: number;
            inSuspense: number;
            returned: number;
        };
        MerchantBalancePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["MerchantBalance"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        Message: {
            reference: string;
            channel: "email" | "sms" | "whatsapp";
            kind: string;
            recipient: string | null;
            state: "queued" | "sending" | "sent" | "caught" | "unknown" | "failed" | "suppressed" | "cancelled";
            problem: string | null;
            attempts: number;
            nextAttemptAt: string | null;
            expiresAt: string;
            createdAt: string;
            endedAt: string | null;
        };
        MessageContent: {
            subject: string;
            text: string;
            html: string;
            short: string;
        };
        MessageContentResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["MessageContent"];
        };
        MessagePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Message"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        MessageResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Message"];
        };
        MessageSuppression: {
            id: number;
            recipient: string;
            reason: "bounced" | "manual";
            detail: string | null;
            createdBy: string;
            createdAt: string;
        };
        MessageSuppressionPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["MessageSuppression"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        MessageSuppressionRequest: {
            address: string;
            detail?: string;
        };
        MessageSuppressionResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["MessageSuppression"];
        };
        MonthCheck: {
            name: string;
            isDone: boolean;
            open: number;
            link: string;
        };
        MonthClosing: {
            version: number;
            closedBy: string;
            closedAt: string;
            reason: string | null;
            checklist: components["schemas"]["MonthCheck"][];
            reopenedAt: string | null;
        };
        MonthReopening: {
            id: string;
            version: number;
            reason: string;
            state: string;
            requestedBy: string;
            requestedAt: string;
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            decisionReason: string | null;
        };
        NoticeSettings: {
            payerChannels: ("email" | "sms" | "whatsapp")[];
            payerKinds: ("payer.instructions" | "payer.part_payment" | "payer.receipt" | "payer.refund_sent")[];
            staffKinds: ("user.approval_waiting" | "merchant.daily_summary" | "merchant.settlement_paid" | "merchant.suspense" | "merchant.webhook_failing" | "merchant.payout_failed" | "operator.alert")[];
            alertSeverity: "notice" | "warning" | "critical";
        };
        NoticeSettingsRequest: {
            payerChannels: ("email" | "sms" | "whatsapp")[];
            payerKinds: ("payer.instructions" | "payer.part_payment" | "payer.receipt" | "payer.refund_sent")[];
            staffKinds: ("user.approval_waiting" | "merchant.daily_summary" | "merchant.settlement_paid" | "merchant.suspense" | "merchant.webhook_failing" | "merchant.payout_failed" | "operator.alert")[];
            alertSeverity?: "notice" | "warning" | "critical";
        };
        NoticeSettingsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["NoticeSettings"];
        };
        NumberCeilings: {
            banks: components["schemas"]["NumberCeilingsOfBank"][];
        };
        NumberCeilingsOfBank: {
            bankCode: string;
            accounts: number | null;
            leases: number | null;
            accountsHeld: number;
            leasesHeld: number;
            defaultAccounts: number | null;
            defaultLeases: number | null;
        };
        NumberCeilingsRequest: {
            banks: {
                bankCode: string;
                accounts?: number | null;
                leases?: number | null;
            }[];
        };
        NumberCeilingsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["NumberCeilings"];
        };
        OperatorBalance: {
            clientId: string | null;
            merchantCode: string | null;
            bankCode: string | null;
            currency: string;
            collected: number;
            available: number;
            pending: number;
            suspended: number;
            returning: number;
            subaccounts: number;
            reserved: number;
            held: number;
            forfeited: number;
            inTransit: number;
            feeIncome: number;
            vatPayable: number;
            receivable: number;
            writtenOff: number;
            bankBalance: number;
            shortfall: number;
            dueToBank: number;
            bankCosts: number;
            inputVat: number;
            stampDuty: number;
            withheldTax: number;
            taxCredits: number;
            doubtfulDebts: number;
            provisions: number;
        };
        OperatorBalanceTotal: {
            currency: string;
            collected: number;
            available: number;
            pending: number;
            suspended: number;
            returning: number;
            subaccounts: number;
            reserved: number;
            held: number;
            forfeited: number;
            inTransit: number;
            feeIncome: number;
            vatPayable: number;
            receivable: number;
            writtenOff: number;
            bankBalance: number;
            shortfall: number;
            dueToBank: number;
            bankCosts: number;
            inputVat: number;
            stampDuty: number;
            withheldTax: number;
            taxCredits: number;
            doubtfulDebts: number;
            provisions: number;
        };
        OperatorBalances: {
            at: string;
            totals: components["schemas"]["OperatorBalanceTotal"][];
            rows: components["schemas"]["OperatorBalance"][];
            hasMore: boolean;
        };
        OperatorBalancesResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["OperatorBalances"];
        };
        OperatorChat: {
            host: string;
            alertSeverity: "notice" | "warning" | "critical";
            setBy: string;
            setAt: string;
            waiting: number;
            postedAt: string | null;
            problem: string | null;
        };
        OperatorChatResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["OperatorChat"];
        };
        OperatorPayout: {
            reference: string;
            purpose: string;
            status: string;
            approval: string;
            amount: number;
            currency: string;
            fee: number;
            vat: number;
            bankAccount: string | null;
            toBankCode: string;
            toAccountNumberMasked: string;
            toAccountNumber: string | null;
            toAccountName: string;
            narration: string;
            bankReference: string | null;
            failureReason: string | null;
            requestedBy: string;
            requestedAt: string;
            decidedBy: string | null;
            decidedAt: string | null;
            sentAt: string | null;
            settledAt: string | null;
            clientId: string | null;
            bankCode: string;
            bankCost: number;
            bankCostVat: number;
            settledBy: string | null;
            payoutFile: string | null;
            queries: number;
            nextQueryAt: string | null;
        };
        OperatorPayoutDetail: {
            reference: string;
            purpose: string;
            status: string;
            approval: string;
            amount: number;
            currency: string;
            fee: number;
            vat: number;
            bankAccount: string | null;
            toBankCode: string;
            toAccountNumberMasked: string;
            toAccountNumber: string | null;
            toAccountName: string;
            narration: string;
            bankReference: string | null;
            failureReason: string | null;
            requestedBy: string;
            requestedAt: string;
            decidedBy: string | null;
            decidedAt: string | null;
            sentAt: string | null;
            settledAt: string | null;
            clientId: string | null;
            bankCode: string;
            bankCost: number;
            bankCostVat: number;
            settledBy: string | null;
            payoutFile: string | null;
            queries: number;
            nextQueryAt: string | null;
            blockedBy: string | null;
            history: components["schemas"]["PayoutChange"][];
            failureRequest: components["schemas"]["RequestedFailure"] | null;
        };
        OperatorPayoutDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["OperatorPayoutDetail"];
        };
        OperatorPayoutPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["OperatorPayout"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        OutputVat: {
            clientId: string | null;
            currency: string;
            fees: number;
            charged: number;
            givenBack: number;
            vat: number;
        };
        Overview: {
            now: string;
            currency: string;
            today: components["schemas"]["OverviewPeriod"];
            yesterday: components["schemas"]["OverviewPeriod"];
            comparison: components["schemas"]["OverviewComparison"];
            inSuspense: {
                amount: number;
                items: number;
            } | null;
            failingWebhooks: number | null;
            hours: components["schemas"]["OverviewPoint"][];
            days: components["schemas"]["OverviewPoint"][];
            isComplete: boolean;
        };
        OverviewBank: {
            bankCode: string | null;
            bankName: string | null;
            gross: number;
            reversed: number;
            returned: number;
            refunded: number;
            suspended: number;
            fees: number;
            net: number;
            credits: number;
        };
        OverviewBreakdown: {
            from: string;
            currency: string;
            banks: components["schemas"]["OverviewBank"][];
            merchants: components["schemas"]["OverviewMerchant"][];
        };
        OverviewBreakdownResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["OverviewBreakdown"];
        };
        OverviewComparison: {
            until: string;
            today: components["schemas"]["OverviewPoint"];
            lastWeek: components["schemas"]["OverviewPoint"];
        };
        OverviewMerchant: {
            merchantCode: string | null;
            isRest: boolean;
            gross: number;
            reversed: number;
            returned: number;
            refunded: number;
            suspended: number;
            fees: number;
            net: number;
            credits: number;
        };
        OverviewPeriod: {
            from: string;
            gross: number;
            net: number;
            credits: number;
            successful: number;
            reversed: number;
            returned: number;
            refunded: number;
            suspended: number;
            fees: number;
            expired: number;
            cancelled: number;
            successRate: number | null;
        };
        OverviewPeriodFigures: {
            from: string;
            to: string;
            currency: string;
            since: string | null;
            figures: components["schemas"]["OverviewPeriod"] | null;
            isComplete: boolean;
        };
        OverviewPeriodFiguresResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["OverviewPeriodFigures"];
        };
        OverviewPoint: {
            from: string;
            gross: number;
            net: number;
            credits: number;
            successful: number;
        };
        OverviewResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Overview"];
        };
        OwnAccount: {
            id: number;
            bankCode: string;
            accountNumber: string;
            accountName: string;
            email: string;
            accountBalance: number;
            merchantId: string;
            merchantCode: string;
            notificationUrl: string;
            isDefault: boolean;
            isActive: boolean;
            currencyCode: string;
            phoneNumber: string;
            channel: string;
            accounts: components["schemas"]["BankNumber"][];
            createdAt: string;
            updatedAt: string;
            bvnMasked: string;
            ninMasked: string | null;
            kycTier: number;
            kycTierSet: number;
            limitTier: number;
            identity: {
                bvn: components["schemas"]["IdentityCheck"];
                nin: components["schemas"]["IdentityCheck"];
            };
            verifiedName: string | null;
            payerRules: components["schemas"]["PayerRules"];
            limits: components["schemas"]["LimitsInForce"];
            ownLimits: components["schemas"]["OwnLimits"];
            limitProfile: string | null;
            splitCode: string | null;
            version: number;
        };
        OwnAccountPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["OwnAccount"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        OwnAccountResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["OwnAccount"];
        };
        OwnLimits: {
            perCredit: number | null;
            perDay: number | null;
            balanceMax: number | null;
        };
        Passkey: {
            id: string;
            name: string;
            createdAt: string;
            usedAt: string | null;
        };
        PasskeyAlgorithm: {
            type: string;
            alg: number;
        };
        PasskeyAssertion: {
            id: string;
            rawId: string;
            type: "public-key";
            response: {
                clientDataJSON: string;
                authenticatorData: string;
                signature: string;
                userHandle?: string;
            };
        };
        PasskeyAttestation: {
            id: string;
            rawId: string;
            type: "public-key";
            response: {
                clientDataJSON: string;
                attestationObject: string;
                transports?: string[];
            };
        };
        PasskeyCreationOptions: {
            challenge: string;
            rp: components["schemas"]["PasskeyRelyingParty"];
            user: components["schemas"]["PasskeyUser"];
            pubKeyCredParams: components["schemas"]["PasskeyAlgorithm"][];
            timeout: number;
            attestation: string;
            excludeCredentials: components["schemas"]["PasskeyDescriptor"][];
            authenticatorSelection: components["schemas"]["PasskeySelection"];
        };
        PasskeyCreationOptionsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PasskeyCreationOptions"];
        };
        PasskeyDescriptor: {
            id: string;
            type: string;
            transports?: string[];
        };
        PasskeyPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Passkey"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        PasskeyRelyingParty: {
            id: string;
            name: string;
        };
        PasskeyRequestOptions: {
            challenge: string;
            rpId: string;
            timeout: number;
            userVerification: string;
            allowCredentials: components["schemas"]["PasskeyDescriptor"][];
        };
        PasskeyRequestOptionsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PasskeyRequestOptions"];
        };
        PasskeyResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Passkey"];
        };
        PasskeySelection: {
            residentKey: string;
            requireResidentKey: boolean;
            userVerification: string;
        };
        PasskeyUser: {
            id: string;
            name: string;
            displayName: string;
        };
        PasswordReset: {
            email: string;
            clientName: string;
        };
        PasswordResetResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PasswordReset"];
        };
        PayerComparison: {
            onStatement: string | null;
            inBooks: string | null;
            score: number | null;
        };
        PayerRules: {
            minAmount?: number;
            maxAmount?: number;
            accounts?: {
                accountNumber: string;
                bankCode: string;
            }[];
            names?: string[];
        } | null;
        PayerRulesRequest: {
            /** @example 6000 */
            minAmount?: number | string;
            /** @example 6000 */
            maxAmount?: number | string;
            accounts?: {
                accountNumber: string;
                bankCode: string;
            }[];
            names?: string[];
        };
        Payment: {
            paymentReference: string;
            adviceReference: string;
            merchantRef: string | null;
            status: string;
            amount: number;
            amountPaid: number;
            amountRemaining: number;
            refundedAmount: number;
            merchantFee: number;
            merchantFeeVat: number;
            netToMerchant: number;
            currency: string;
            amountPolicy: string;
            expiresAt: string;
            closesAt: string;
            numbers: components["schemas"]["BankNumber"][];
            customerName: string;
            narration: string | null;
            splits: components["schemas"]["SplitShare"][];
            callBackUrl: string;
            createdAt: string;
            updatedAt: string;
        };
        PaymentCancelledEvent: {
            id: string;
            /** @constant */
            type: "payment.cancelled";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["PaymentClosedEventData"];
        };
        PaymentClosedEventData: {
            bankName: string;
            bankCode: string;
            bankAccount: string;
            paymentReference: string;
            status: string;
            message: string;
            amount: number;
            amountPaid: number;
            callBackUrl: string;
            customerName: string;
            expiresAt: string;
            accountName: string;
            adviceReference: string;
            merchantRef: string | null;
            currency: string;
            amountRemaining: number;
            amountSuspended: number;
        };
        PaymentDetail: {
            paymentReference: string;
            adviceReference: string;
            merchantRef: string | null;
            status: string;
            amount: number;
            amountPaid: number;
            amountRemaining: number;
            refundedAmount: number;
            merchantFee: number;
            merchantFeeVat: number;
            netToMerchant: number;
            currency: string;
            amountPolicy: string;
            expiresAt: string;
            closesAt: string;
            numbers: components["schemas"]["BankNumber"][];
            customerName: string;
            narration: string | null;
            splits: components["schemas"]["SplitShare"][];
            callBackUrl: string;
            createdAt: string;
            updatedAt: string;
            amountInSuspense: number;
            credits: components["schemas"]["Credit"][];
            hasMoreCredits: boolean;
        };
        PaymentDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PaymentDetail"];
        };
        PaymentEventData: {
            bankName: string;
            bankCode: string;
            bankAccount: string;
            paymentReference: string;
            status: string;
            message: string;
            amount: number;
            amountPaid: number;
            callBackUrl: string;
            customerName: string;
            expiresAt: string;
            accountName: string;
            adviceReference: string;
            merchantRef: string | null;
            currency: string;
            amountRemaining: number;
            credit?: components["schemas"]["EventCredit"];
        };
        PaymentExpiredEvent: {
            id: string;
            /** @constant */
            type: "payment.expired";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["PaymentClosedEventData"];
        };
        PaymentExtendedEvent: {
            id: string;
            /** @constant */
            type: "payment.extended";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                bankName: string;
                bankCode: string;
                bankAccount: string;
                paymentReference: string;
                status: string;
                message: string;
                amount: number;
                amountPaid: number;
                callBackUrl: string;
                customerName: string;
                expiresAt: string;
                accountName: string;
                adviceReference: string;
                merchantRef: string | null;
                currency: string;
                amountRemaining: number;
            };
        };
        PaymentPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Payment"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        PaymentPartPaidEvent: {
            id: string;
            /** @constant */
            type: "payment.part_paid";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["PaymentEventData"];
        };
        PaymentProcessingEvent: {
            id: string;
            /** @constant */
            type: "payment.processing";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["PaymentEventData"];
        };
        PaymentRefundEventData: {
            bankName: string;
            bankCode: string;
            bankAccount: string;
            paymentReference: string;
            status: string;
            message: string;
            amount: number;
            amountPaid: number;
            callBackUrl: string;
            customerName: string;
            expiresAt: string;
            accountName: string;
            adviceReference: string;
            merchantRef: string | null;
            currency: string;
            amountRemaining: number;
            refundedAmount: number;
            refund: components["schemas"]["EventRefund"];
            credit?: components["schemas"]["EventCredit"];
        };
        PaymentRefundFailedEvent: {
            id: string;
            /** @constant */
            type: "payment.refund_failed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["PaymentRefundEventData"];
        };
        PaymentRefundedEvent: {
            id: string;
            /** @constant */
            type: "payment.refunded";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["PaymentRefundEventData"];
        };
        PaymentReversedEvent: {
            id: string;
            /** @constant */
            type: "payment.reversed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: {
                bankName: string;
                bankCode: string;
                bankAccount: string;
                paymentReference: string;
                status: string;
                message: string;
                amount: number;
                amountPaid: number;
                callBackUrl: string;
                customerName: string;
                expiresAt: string;
                accountName: string;
                adviceReference: string;
                merchantRef: string | null;
                currency: string;
                amountRemaining: number;
                amountReversed: number;
                reversal?: components["schemas"]["EventReversal"];
                credit?: components["schemas"]["EventCredit"];
            };
        };
        PaymentSuccessfulEvent: {
            id: string;
            /** @constant */
            type: "payment.successful";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["PaymentEventData"];
        };
        PaymentSummary: {
            count: number;
            isExact: boolean;
            totals: components["schemas"]["PaymentTotal"][] | null;
        };
        PaymentSummaryResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PaymentSummary"];
        };
        PaymentTotal: {
            currency: string;
            count: number;
            amount: number;
            amountPaid: number;
        };
        Payout: {
            reference: string;
            purpose: string;
            status: string;
            approval: string;
            amount: number;
            currency: string;
            fee: number;
            vat: number;
            bankAccount: string | null;
            toBankCode: string;
            toAccountNumberMasked: string;
            toAccountNumber: string | null;
            toAccountName: string;
            narration: string;
            bankReference: string | null;
            failureReason: string | null;
            requestedBy: string;
            requestedAt: string;
            decidedBy: string | null;
            decidedAt: string | null;
            sentAt: string | null;
            settledAt: string | null;
        };
        PayoutApprovalRequest: {
            payoutApproval: "none" | "above" | "all";
            approvalAbove?: (number | string) | null;
            twoApproversAbove?: (number | string) | null;
            strictApprovers?: boolean;
        };
        PayoutChange: {
            change: string;
            changedBy: string;
            changedAt: string;
            detail: string | null;
        };
        PayoutConfirmedEvent: {
            id: string;
            /** @constant */
            type: "payout.confirmed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["PayoutEventData"];
        };
        PayoutDetail: {
            reference: string;
            purpose: string;
            status: string;
            approval: string;
            amount: number;
            currency: string;
            fee: number;
            vat: number;
            bankAccount: string | null;
            toBankCode: string;
            toAccountNumberMasked: string;
            toAccountNumber: string | null;
            toAccountName: string;
            narration: string;
            bankReference: string | null;
            failureReason: string | null;
            requestedBy: string;
            requestedAt: string;
            decidedBy: string | null;
            decidedAt: string | null;
            sentAt: string | null;
            settledAt: string | null;
            blockedBy: string | null;
            history: components["schemas"]["PayoutChange"][];
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
        };
        PayoutDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutDetail"];
        };
        PayoutEventData: {
            reference: string;
            purpose: string;
            status: string;
            amount: number;
            currency: string;
            fee: number;
            vat: number;
            bankAccount: string | null;
            bankCode: string;
            accountName: string;
            narration: string;
            bankReference: string | null;
            failureReason: string | null;
            requestedAt: string;
            settledAt: string;
        };
        PayoutFailedEvent: {
            id: string;
            /** @constant */
            type: "payout.failed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["PayoutEventData"];
        };
        PayoutFile: {
            id: string;
            bankCode: string;
            format: string;
            payouts: number;
            amount: number;
            open: number;
            confirmed: number;
            failed: number;
            settledByHand: number;
            blockedBy: string | null;
            executionDate: string;
            sha256: string;
            createdBy: string;
            createdAt: string;
            downloadedBy: string | null;
            downloadedAt: string | null;
            notDeliveredBy: string | null;
            notDeliveredAt: string | null;
            bankConfirmation: string | null;
        };
        PayoutFileDetail: {
            id: string;
            bankCode: string;
            format: string;
            payouts: number;
            amount: number;
            open: number;
            confirmed: number;
            failed: number;
            settledByHand: number;
            blockedBy: string | null;
            executionDate: string;
            sha256: string;
            createdBy: string;
            createdAt: string;
            downloadedBy: string | null;
            downloadedAt: string | null;
            notDeliveredBy: string | null;
            notDeliveredAt: string | null;
            bankConfirmation: string | null;
            failureRequest: components["schemas"]["RequestedFailure"] | null;
        };
        PayoutFileDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutFileDetail"];
        };
        PayoutFilePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutFile"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        PayoutPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Payout"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        PayoutRequest: {
            bankAccount?: string;
            /** @example 6000 */
            amount: number | string;
            currency?: string;
            narration: string;
        };
        PayoutResultProblem: {
            line: number;
            reference: string | null;
            status: string;
            problem: string;
            message: string;
        };
        PayoutResults: {
            confirmed: number;
            failed: number;
            pending: number;
            unchanged: number;
            problems: components["schemas"]["PayoutResultProblem"][];
        };
        PayoutResultsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutResults"];
        };
        PayoutReturnedEvent: {
            id: string;
            /** @constant */
            type: "payout.returned";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["PayoutReturnedEventData"];
        };
        PayoutReturnedEventData: {
            reference: string;
            purpose: string;
            status: string;
            amount: number;
            currency: string;
            fee: number;
            vat: number;
            bankAccount: string | null;
            bankCode: string;
            accountName: string;
            narration: string;
            bankReference: string | null;
            failureReason: string | null;
            requestedAt: string;
            settledAt: string;
            returnedAmount: number;
            returnedAt: string;
        };
        PayoutSettings: {
            payoutApproval: string;
            approvalAbove: number | null;
            twoApproversAbove: number | null;
            perPayoutLimit: number | null;
            dailyLimit: number | null;
            reserveFloorPercent: number;
            reserveFloorDays: number;
            strictApprovers: boolean;
        };
        PayoutSettingsRequest: {
            payoutApproval?: "none" | "above" | "all";
            approvalAbove?: (number | string) | null;
            twoApproversAbove?: (number | string) | null;
            perPayoutLimit?: (number | string) | null;
            dailyLimit?: (number | string) | null;
            reserveFloorPercent?: number;
            reserveFloorDays?: number;
            strictApprovers?: boolean;
        };
        PayoutSettingsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutSettings"];
        };
        PayoutTariff: {
            id: number;
            bankCode: string | null;
            bands: components["schemas"]["PayoutTariffBand"][];
            vatBps: number;
            stampDuty: number;
            stampDutyFrom: number;
            effectiveFrom: string;
            createdAt: string;
        };
        PayoutTariffBand: {
            upTo: number | null;
            fee: number;
        };
        PayoutTariffPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutTariff"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        PayoutTariffRequest: {
            bankCode?: string | null;
            bands: {
                upTo: (number | string) | null;
                fee: number | string;
            }[];
            vatBps?: number;
            stampDuty?: number | string;
            stampDutyFrom?: number | string;
            effectiveFrom?: string;
        };
        PayoutTariffResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutTariff"];
        };
        PendingApprovals: {
            total: number;
            payouts: number;
            settlements: number;
            suspense: number;
            adjustments: number;
            differences: number;
            payoutFailures: number;
            holds: number;
            screening: number;
            months: number;
            openDifferences: number | null;
            suspenseItems: number | null;
            failingWebhooks: number | null;
            openAlerts: number | null;
            openCases: number | null;
        };
        PendingApprovalsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PendingApprovals"];
        };
        ProviderReturn: {
            state: string;
            code?: string;
            iss?: string;
            error?: string;
        };
        ProviderSignIn: {
            url: string;
        };
        ProviderSignInResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ProviderSignIn"];
        };
        RailItem: {
            id: string;
            bankCode: string;
            call: string;
            outcome: "awaited" | "taken" | "rejected" | "unreadable";
            reason: string;
            responseCode: string;
            sessionId: string | null;
            amount: string | null;
            receivedAt: string;
            takenAt: string | null;
        };
        RailItemDetail: {
            id: string;
            bankCode: string;
            call: string;
            outcome: "awaited" | "taken" | "rejected" | "unreadable";
            reason: string;
            responseCode: string;
            sessionId: string | null;
            amount: string | null;
            receivedAt: string;
            takenAt: string | null;
            body: string;
        };
        RailItemDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["RailItemDetail"];
        };
        RailItemPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["RailItem"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ReconciledItem: {
            kind: string;
            id: string;
            amount: number;
            day: string;
            reference: string | null;
            accountNumber: string | null;
            name: string | null;
            lines: components["schemas"]["StatementLine"][];
        };
        ReconciledItemPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ReconciledItem"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ReconciledLine: {
            lineId: string;
            lineNo: number;
            bookedOn: string;
            valueOn: string | null;
            amount: number;
            kind: string;
            sessionId: string | null;
            bankReference: string | null;
            endToEndId: string | null;
            accountNumber: string | null;
            counterpartyName: string | null;
            counterpartyAccountMasked: string | null;
            narration: string | null;
            isReversal: boolean;
            rule: string | null;
            items: components["schemas"]["BankItem"][];
            payer: components["schemas"]["PayerComparison"] | null;
        };
        ReconciledLinePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ReconciledLine"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ReconciliationAgeing: {
            differences: components["schemas"]["AgedDifferences"][];
            reconcilingItems: components["schemas"]["AgedDifferences"][];
            suspense: components["schemas"]["SuspenseBucket"][];
        };
        ReconciliationAgeingResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ReconciliationAgeing"];
        };
        ReconciliationDay: {
            bankCode: string;
            bankName: string;
            currency: string;
            day: string;
            status: string;
            statusText: string;
            computedAt: string;
            ledger: number | null;
            statement: number | null;
            timing: number | null;
            waiting: number | null;
            noted: number | null;
            difference: number | null;
            openDifferences: number;
            waitingDifferences: number;
            notedDifferences: number;
            isExpected: boolean;
            isClosed: boolean;
        };
        ReconciliationDaysResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ReconciliationDay"][];
        };
        RecoveryCodes: {
            recoveryCodes: string[];
        };
        RecoveryCodesResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["RecoveryCodes"];
        };
        Redelivery: {
            queued: number;
        };
        RedeliveryResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Redelivery"];
        };
        Refund: {
            reference: string;
            status: "queued" | "sending" | "unknown" | "confirmed" | "failed" | "cancelled" | "part_failed";
            amount: number;
            refundedAmount: number;
            currency: string;
            toAccountName: string;
            reason: string;
            paymentReference: string | null;
            creditId: number | null;
            payouts: components["schemas"]["RefundPayout"][];
            requestedBy: string;
            requestedAt: string;
        };
        RefundPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Refund"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        RefundPayout: {
            reference: string;
            status: string;
            approval: string;
            amount: number;
            creditId: number;
            bankCode: string;
            toBankCode: string;
            toAccountName: string;
            toAccountNumberMasked: string;
            bankReference: string | null;
            failureReason: string | null;
            settledAt: string | null;
        };
        RefundRequest: {
            /** @example 6000 */
            amount: number | string;
            reason: string;
        };
        RefundResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Refund"];
        };
        RegisteredClient: {
            clientId: string;
            name: string;
            isActive: boolean;
            suspendedAt: string | null;
            suspensionReason: string | null;
            accountName: string;
            pendingAccountName: string | null;
            isOperator: boolean;
            scopes: string[];
            merchantCodes: string[] | null;
            allowedAddresses: string[] | null;
            createdAt: string;
        };
        RegisteredClientPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["RegisteredClient"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        Replay: {
            id: string;
            endpointId: string;
            from: string;
            to: string;
            status: "running" | "done" | "stopped";
            progress: number;
            queued: number;
            requestedAt: string;
            endedAt: string | null;
            nextFrom: string | null;
        };
        ReplayRequest: {
            from: string;
            to: string;
        };
        ReplayResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Replay"];
        };
        Report: {
            reference: string;
            name: string;
            operation: string;
            format: "csv" | "xlsx";
            from: string;
            to: string;
            path: string;
            createdAt: string;
            expiresAt: string;
        };
        ReportChoices: {
            exports: components["schemas"]["ReportExport"][];
            recipients: string[];
        };
        ReportChoicesResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ReportChoices"];
        };
        ReportExport: {
            operation: string;
            path: string;
            filters: string[];
            frequencies: ("daily" | "weekly" | "monthly")[];
        };
        ReportResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Report"];
        };
        ReportSchedule: {
            reference: string;
            name: string;
            operation: string;
            filters: {
                [key: string]: string;
            };
            frequency: "daily" | "weekly" | "monthly";
            hour: number;
            format: "csv" | "xlsx";
            recipients: string[];
            createdBy: string;
            createdAt: string;
            nextDueAt: string;
            lastRunAt: string | null;
        };
        ReportSchedulePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ReportSchedule"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ReportScheduleRequest: {
            name: string;
            operation: string;
            filters?: {
                [key: string]: string;
            };
            frequency: "daily" | "weekly" | "monthly";
            hour: number;
            format: "csv" | "xlsx";
            recipients: string[];
        };
        ReportScheduleResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ReportSchedule"];
        };
        Requery: {
            paymentReference: string;
            requeries: {
                bankCode: string;
                bankName: string;
                state: "open" | "found" | "not_found" | "dropped" | "merged";
                dueAt: string;
                attempts: number;
                askedAt: string | null;
            }[];
        };
        RequeryRequest: {
            sessionId?: string;
        };
        RequeryResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Requery"];
        };
        RequestedFailure: {
            reference: string;
            payout: string | null;
            payoutFile: string | null;
            amount: number;
            reason: string | null;
            evidence: string;
            state: string;
            requestedBy: string;
            requestedAt: string;
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            decisionReason: string | null;
        };
        RequestedFailurePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["RequestedFailure"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        RequestedFailureResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["RequestedFailure"];
        };
        RequestedPasswordReset: {
            isRequested: boolean;
        };
        RequestedPasswordResetResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["RequestedPasswordReset"];
        };
        ResolutionRequest: {
            action: "book" | "match" | "note";
            reading?: "charge" | "reversal";
            reason: string;
        };
        ResolutionResult: {
            id: number;
            ok: boolean;
            code?: string;
            message?: string;
        };
        ResolutionResultsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ResolutionResult"][];
        };
        Return: {
            reference: string;
            status: string;
            sentBy: string | null;
            payoutStatus: string | null;
            blockedBy: string | null;
            amount: number;
            currency: string;
            bankCode: string;
            sessionId: string;
            payerName: string | null;
            payerBankCode: string | null;
            payerAccountNumberMasked: string | null;
            payerAccountNumber: string | null;
            narration: string | null;
            clientId: string | null;
            suspenseId: number;
            creditId: number;
            bankReference: string | null;
            failureReason: string | null;
            requestedBy: string | null;
            requestedAt: string;
            settledBy: string | null;
            settledAt: string | null;
        };
        ReturnPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Return"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ReturnResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Return"];
        };
        SandboxClock: {
            now: string;
            isFrozen: boolean;
        };
        SandboxClockAdvance: {
            seconds?: number;
            to?: string;
        };
        SandboxClockMove: {
            now: string;
            isFrozen: boolean;
            isComplete: boolean;
            ran: components["schemas"]["SandboxClockStep"][];
        };
        SandboxClockMoveResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SandboxClockMove"];
        };
        SandboxClockRequest: {
            now: string;
        };
        SandboxClockResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SandboxClock"];
        };
        SandboxClockStep: {
            at: string;
            kind: string;
            count: number;
        };
        SandboxPayoutOutcome: {
            outcome: string;
            accountNumber: string | null;
            times: number;
        };
        SandboxPayoutOutcomeRequest: {
            outcome: "ok" | "failed" | "slow" | "never" | "answer_lost";
            accountNumber?: string;
            times?: number;
        };
        SandboxPayoutOutcomeResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SandboxPayoutOutcome"];
        };
        SandboxReset: {
            clientId: string;
        };
        SandboxResetResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SandboxReset"];
        };
        SandboxSeed: {
            status: string;
            accounts: number;
            days: number;
            seed: number;
            percent: number;
            startedAt: string | null;
            finishedAt: string | null;
            problem: string | null;
        };
        SandboxSeedRequest: {
            accounts: number;
            days: number;
            seed?: number;
        };
        SandboxSeedResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SandboxSeed"];
        };
        SandboxTransfer: {
            kind: string;
            accountNumber: string;
            amount: number;
            sessionId: string;
            creditId: number | null;
            paymentReference: string | null;
            steps: components["schemas"]["SandboxTransferStep"][];
            scheduled: components["schemas"]["SandboxTransferScheduled"][];
        };
        SandboxTransferRequest: {
            accountNumber: string;
            kind: "exact" | "under" | "over" | "late" | "duplicate" | "out_of_order" | "reversed" | "reversal_first" | "wrong_currency" | "delayed" | "lost";
            /** @example 6000 */
            amount?: number | string;
            times?: number;
            afterSeconds?: number;
        };
        SandboxTransferResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SandboxTransfer"];
        };
        SandboxTransferScheduled: {
            step: string;
            sessionId: string;
            dueAt: string | null;
        };
        SandboxTransferStep: {
            step: string;
            sessionId: string;
            responseCode: string;
            outcome: string;
            reason: string | null;
            amountInSuspense: number;
        };
        SavedView: {
            id: string;
            list: string;
            name: string;
            query: {
                [key: string]: string;
            };
            hiddenColumns: string[];
            isDefault: boolean;
            createdAt: string;
        };
        SavedViewPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SavedView"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        SavedViewResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SavedView"];
        };
        ScreeningDecision: {
            reference: string;
            subject: "credit" | "payout";
            clientId: string | null;
            sessionId: string | null;
            payout: string | null;
            payoutStatus: string | null;
            amount: number;
            currency: string;
            outcome: "hold" | "refuse";
            ruleSet: string;
            hits: components["schemas"]["ScreeningHit"][];
            handling: "held" | "waiting" | "unheld" | "awaits_review" | "reviewed";
            hold: string | null;
            unheldReason: string | null;
            decidedAt: string;
        };
        ScreeningDecisionPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ScreeningDecision"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ScreeningDecisionResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ScreeningDecision"];
        };
        ScreeningHit: {
            rule: string;
            kind: "velocity" | "structuring" | "new_payer" | "many_payers" | "list";
            inputs: {
                [key: string]: unknown;
            };
        };
        ScreeningList: {
            version: number;
            name: string;
            format: "un_xml" | "ofac_xml" | "ofac_csv" | "csv";
            sha256: string;
            entries: number;
            names: number;
            added: number;
            removed: number;
            replaces: number | null;
            effectiveFrom: string | null;
            uploadedBy: string;
        };
        ScreeningListPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ScreeningList"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ScreeningListResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ScreeningList"];
        };
        ScreeningRequest: {
            id: number;
            kind: "activate" | "end" | "release" | "refuse";
            rule: string | null;
            ruleName: string | null;
            list: string | null;
            listVersion: number | null;
            decision: string | null;
            payout: string | null;
            sessionId: string | null;
            effectiveFrom: string | null;
            reason: string;
            state: string;
            requestedBy: string;
            requestedAt: string;
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            decisionReason: string | null;
        };
        ScreeningRequestPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ScreeningRequest"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ScreeningRequestResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ScreeningRequest"];
        };
        ScreeningRule: {
            reference: string;
            name: string;
            version: number;
            state: "draft" | "active" | "ended";
            subject: "credit" | "payout";
            kind: "velocity" | "structuring" | "new_payer" | "many_payers" | "list";
            outcome: "hold" | "refuse";
            clientId: string | null;
            count: number | null;
            amount: number | null;
            minutes: number | null;
            percent: number | null;
            days: number | null;
            list: string | null;
            score: number | null;
            createdBy: string;
            createdAt: string;
            testedAt: string | null;
            test: components["schemas"]["ScreeningTest"] | null;
            effectiveFrom: string | null;
            effectiveTo: string | null;
        };
        ScreeningRulePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ScreeningRule"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ScreeningRuleRequest: {
            name: string;
            subject: "credit" | "payout";
            kind: "velocity" | "structuring" | "new_payer" | "many_payers" | "list";
            outcome: "hold" | "refuse";
            clientId?: string;
            count?: number;
            /** @example 6000 */
            amount?: number | string;
            minutes?: number;
            percent?: number;
            days?: number;
            /** @example un-consolidated */
            list?: string;
            score?: number;
        };
        ScreeningRuleResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ScreeningRule"];
        };
        ScreeningTest: {
            from: string;
            to: string;
            screened: number;
            hits: number;
            examples: string[];
        };
        SearchHit: {
            type: "payment" | "advice" | "account" | "credit" | "event" | "payout" | "settlement" | "refund" | "return" | "statement";
            reference: string;
            href: string;
            title: string;
            detail: string | null;
            amount: number | null;
            currency: string | null;
            status: string | null;
            at: string | null;
            of: components["schemas"]["SearchHitOwner"] | null;
        };
        SearchHitOwner: {
            type: "payment" | "advice" | "account" | "credit" | "event" | "payout" | "settlement" | "refund" | "return" | "statement";
            reference: string;
        };
        SearchHitsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SearchHit"][];
        };
        SecretRotationRequest: {
            /** @default 86400 */
            overlapSeconds?: number;
        };
        Session: {
            id: string;
            address: string;
            userAgent: string;
            isCurrent: boolean;
            createdAt: string;
            seenAt: string;
            expiresAt: string;
        };
        SessionPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Session"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        Settlement: {
            reference: string;
            status: string;
            period: components["schemas"]["SettlementPeriod"];
            cutOff: string;
            currency: string;
            gross: number;
            fees: number;
            vat: number;
            reversed: number;
            refunds: number;
            paidOut: number;
            recovered: number;
            reserved: number;
            released: number;
            carried: number;
            net: number;
            lines: number;
            payouts: components["schemas"]["SettlementPayout"][];
            needsApproval: boolean;
            heldReason: string | null;
            closedBy: string;
            closedAt: string;
            approvedBy: string | null;
            approvedAt: string | null;
            cancelledBy: string | null;
            cancelledAt: string | null;
            finishedAt: string | null;
        };
        SettlementClosedEvent: {
            id: string;
            /** @constant */
            type: "settlement.closed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["SettlementEventData"];
        };
        SettlementDetail: {
            reference: string;
            status: string;
            period: components["schemas"]["SettlementPeriod"];
            cutOff: string;
            currency: string;
            gross: number;
            fees: number;
            vat: number;
            reversed: number;
            refunds: number;
            paidOut: number;
            recovered: number;
            reserved: number;
            released: number;
            carried: number;
            net: number;
            lines: number;
            payouts: components["schemas"]["SettlementPayout"][];
            needsApproval: boolean;
            heldReason: string | null;
            closedBy: string;
            closedAt: string;
            approvedBy: string | null;
            approvedAt: string | null;
            cancelledBy: string | null;
            cancelledAt: string | null;
            finishedAt: string | null;
            payees: components["schemas"]["SettlementPayee"][];
            revision: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
        };
        SettlementDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SettlementDetail"];
        };
        SettlementEventData: {
            reference: string;
            status: string;
            currency: string;
            periodFrom: string | null;
            cutOff: string;
            lines: number;
            gross: number;
            fees: number;
            vat: number;
            reversed: number;
            refunds: number;
            paidOut: number;
            recovered: number;
            reserved: number;
            released: number;
            carried: number;
            net: number;
            closedAt: string;
        };
        SettlementFailedEvent: {
            id: string;
            /** @constant */
            type: "settlement.failed";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["SettlementEventData"];
        };
        SettlementLine: {
            kind: string;
            postedAt: string;
            subaccountCode: string | null;
            creditId: number | null;
            sessionId: string | null;
            receivedAt: string | null;
            paymentReference: string | null;
            merchantRef: string | null;
            collectionAccountNumber: string | null;
            merchantCode: string | null;
            payoutReference: string | null;
            gross: number;
            fee: number;
            vat: number;
            split: number;
            reversed: number;
            other: number;
            net: number;
        };
        SettlementLinePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SettlementLine"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        SettlementPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Settlement"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        SettlementPaidEvent: {
            id: string;
            /** @constant */
            type: "settlement.paid";
            sequence: number;
            createdAt: string;
            env: "Test" | "Live";
            data: components["schemas"]["SettlementEventData"];
        };
        SettlementPayee: {
            subaccountCode: string | null;
            amount: number;
            bankAccount: string;
            bankCode: string;
            bankName: string;
            accountNumberMasked: string;
            accountNumber: string | null;
            accountName: string;
            defaultSince: string | null;
            blockedBy: string | null;
        };
        SettlementPayout: {
            reference: string;
            status: string;
            amount: number;
            subaccountCode: string | null;
        };
        SettlementPeriod: {
            from: string | null;
            to: string;
        };
        SettlementResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Settlement"];
        };
        SettlementSettings: {
            schedule: string;
            minimumAmount: number;
            reservePercent: number;
            reserveDays: number;
            reserveFloorPercent: number;
            reserveFloorDays: number;
            nextCloseAt: string | null;
        };
        SettlementSettingsRequest: {
            /** @example T+1@09:00 */
            schedule: string;
            minimumAmount?: number | string;
            reservePercent?: number;
            reserveDays?: number;
        };
        SettlementSettingsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SettlementSettings"];
        };
        SignInProvider: {
            issuer: string;
            providerClientId: string;
            redirectUri: string;
            roleClaim: string | null;
            roles: components["schemas"]["SignInRoleMapping"][];
            createsUsers: boolean;
            trustsEmail: boolean;
            isEnforced: boolean;
            updatedAt: string;
        };
        SignInProviderResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SignInProvider"];
        };
        SignInProviderSettings: {
            redirectUri: string;
            provider: components["schemas"]["SignInProvider"] | null;
        };
        SignInProviderSettingsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SignInProviderSettings"];
        };
        SignInRequest: {
            email: string;
            password: string;
            code?: string;
            passkey?: components["schemas"]["PasskeyAssertion"];
            clientId?: string;
        };
        SignInRoleMapping: {
            value: string;
            role: "owner" | "developer" | "finance" | "support" | "operator";
        };
        SignedInClient: {
            clientId: string;
            name: string;
            isOperator: boolean;
            mode: "sandbox" | "live";
        };
        SignedInSession: {
            user: components["schemas"]["SignedInUser"];
            role: string;
            scopes: string[];
            throughProvider: boolean;
            client: components["schemas"]["SignedInClient"];
            csrfToken: string;
        };
        SignedInSessionResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SignedInSession"];
        };
        SignedInUser: {
            id: string;
            email: string;
            hasTotp: boolean;
            mustChangePassword: boolean;
        };
        SigningSecret: {
            secret: string;
        };
        SigningSecretResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SigningSecret"];
        };
        SimulatedPayment: {
            bankName: string;
            bankCode: string;
            bankAccount: string;
            paymentReference: string;
            status: string;
            message: string;
            amount: number;
            amountPaid: number;
            callBackUrl: string;
            customerName: string;
            expiresAt?: string;
            accountName: string;
            sessionId: string;
            outcome: string;
            reason: string | null;
        };
        SimulatedPaymentResponse: {
            requestSuccessful: boolean;
            message: string;
            responseCode: string;
            responseData: components["schemas"]["SimulatedPayment"];
            warnings?: components["schemas"]["Warning"][];
        };
        Split: {
            splitCode: string;
            name: string;
            type: string;
            parts: components["schemas"]["SplitPart"][];
            isActive: boolean;
            createdAt: string;
        };
        SplitPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Split"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        SplitPart: {
            subaccountCode: string;
            share: number;
            bearsFee: boolean;
        };
        SplitPartRequest: {
            subaccountCode: string;
            /** @example 6000 */
            share: number | string;
            bearsFee?: boolean;
        };
        SplitRequest: {
            splitCode?: string;
            name: string;
            type: "percentage" | "flat";
            parts: components["schemas"]["SplitPartRequest"][];
        };
        SplitResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Split"];
        };
        SplitShare: {
            subaccountCode: string;
            amount: number;
        };
        StampDuty: {
            bankCode: string;
            currency: string;
            charged: number;
            givenBack: number;
            duty: number;
            transfers: number;
            expected: number;
        };
        StampDutyReport: {
            month: string;
            rows: components["schemas"]["StampDuty"][];
        };
        StampDutyReportResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["StampDutyReport"];
        };
        Statement: {
            statementId: string;
            importId: string;
            bankCode: string;
            bankName: string;
            currency: string;
            accountNumber: string | null;
            reference: string | null;
            sequence: number | null;
            fromDay: string;
            toDay: string;
            opening: number;
            closing: number;
            hasBalances: boolean;
            lines: number;
            newLines: number;
            importedAt: string;
            importedBy: string;
            fileName: string | null;
        };
        StatementEntry: {
            id: number;
            type: string;
            direction: "in" | "out";
            amount: number;
            balanceAfter: number;
            currency: string;
            creditId: number | null;
            sessionId: string | null;
            narration: string | null;
            sourceAccountName: string | null;
            payoutReference: string | null;
            settlementReference: string | null;
            adjustmentId: number | null;
            differenceId: number | null;
            holdReference: string | null;
            postedAt: string;
        };
        StatementEntryPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["StatementEntry"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        StatementImport: {
            importId: string;
            bankCode: string;
            format: string;
            profile: string | null;
            fileName: string | null;
            state: string;
            lines: number;
            error: {
                line: number | null;
                message: string;
            } | null;
            startedBy: string;
            startedAt: string;
            updatedAt: string;
        };
        StatementImportPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["StatementImport"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        StatementImportResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["StatementImport"];
        };
        StatementLine: {
            lineId: string;
            lineNo: number;
            bookedOn: string;
            valueOn: string | null;
            amount: number;
            kind: string;
            sessionId: string | null;
            bankReference: string | null;
            endToEndId: string | null;
            accountNumber: string | null;
            counterpartyName: string | null;
            counterpartyAccountMasked: string | null;
            narration: string | null;
            isReversal: boolean;
            rule: string | null;
        };
        StatementLinePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["StatementLine"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        StatementPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Statement"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        StatementProfile: {
            name: string;
            title: string;
            isShipped: boolean;
            currency: string;
            balances: string;
        };
        StatementProfilePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["StatementProfile"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        StatementResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Statement"];
        };
        Subaccount: {
            subaccountCode: string;
            name: string;
            bankAccountReference: string;
            bankCode: string;
            accountNumberMasked: string;
            accountName: string;
            accountStatus: string;
            isAccountActive: boolean;
            isActive: boolean;
            balance: number;
            createdAt: string;
            updatedAt: string;
        };
        SubaccountBalance: {
            subaccountCode: string;
            name: string;
            currency: string;
            available: number;
            inTransit: number;
            paidOut: number;
        };
        SubaccountBalancePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SubaccountBalance"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        SubaccountChange: {
            name?: string;
            isActive?: boolean;
            bankCode?: string;
            accountNumber?: string;
            accountName?: string;
        };
        SubaccountPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Subaccount"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        SubaccountRequest: {
            subaccountCode?: string;
            name: string;
            bankCode: string;
            accountNumber: string;
            accountName: string;
        };
        SubaccountResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Subaccount"];
        };
        SupportedBank: {
            code: string;
            bankName: string;
        };
        SupportedBanksResponse: {
            requestSuccessful: boolean;
            message: string;
            responseCode: string;
            responseData: components["schemas"]["SupportedBank"][];
            warnings?: components["schemas"]["Warning"][];
        };
        SuspenseAgeing: {
            at: string;
            totals: components["schemas"]["AgedSuspenseTotal"][];
            rows: components["schemas"]["AgedSuspense"][];
        };
        SuspenseAgeingResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SuspenseAgeing"];
        };
        SuspenseBucket: {
            currency: string;
            bucket: string;
            count: number;
            amount: number;
        };
        SuspenseByAge: {
            age: "0-1" | "2-7" | "8-30" | "30+";
            currency: string;
            count: number;
            amount: number;
        };
        SuspenseByReason: {
            reason: string;
            currency: string;
            count: number;
            amount: number;
        };
        SuspenseEscalation: {
            days: number | null;
        };
        SuspenseEscalationRequest: {
            days: number | null;
        };
        SuspenseEscalationResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SuspenseEscalation"];
        };
        SuspenseItem: {
            id: number;
            amount: number;
            currency: string;
            reason: string;
            state: string;
            creditId: number;
            sessionId: string;
            bankCode: string;
            accountNumber: string;
            sourceAccountName: string | null;
            sourceAccountNumberMasked: string | null;
            sourceBankCode: string | null;
            narration: string | null;
            paymentReference: string | null;
            assignedTo: string | null;
            returnReference: string | null;
            bankReference: string | null;
            failureReason: string | null;
            openedAt: string;
            closedAt: string | null;
            ageSeconds: number;
        };
        SuspenseItemDetail: {
            id: number;
            amount: number;
            currency: string;
            reason: string;
            state: string;
            creditId: number;
            sessionId: string;
            bankCode: string;
            accountNumber: string;
            sourceAccountName: string | null;
            sourceAccountNumberMasked: string | null;
            sourceBankCode: string | null;
            narration: string | null;
            paymentReference: string | null;
            assignedTo: string | null;
            returnReference: string | null;
            bankReference: string | null;
            failureReason: string | null;
            openedAt: string;
            closedAt: string | null;
            ageSeconds: number;
            originalAmount: number;
            history: {
                at: string;
                change: string;
                amount: number;
                amountLeft: number;
                reference: string | null;
            }[];
        };
        SuspenseItemDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SuspenseItemDetail"];
        };
        SuspenseItemPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SuspenseItem"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        SuspenseItemResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SuspenseItem"];
        };
        SuspenseSettings: {
            makerChecker: boolean;
        };
        SuspenseSettingsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SuspenseSettings"];
        };
        SuspenseSummary: {
            totals: components["schemas"]["SuspenseTotal"][];
            byReason: components["schemas"]["SuspenseByReason"][];
            byAge: components["schemas"]["SuspenseByAge"][];
            isComplete: boolean;
        };
        SuspenseSummaryResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SuspenseSummary"];
        };
        SuspenseTotal: {
            currency: string;
            count: number;
            amount: number;
        };
        TaxRate: {
            tax: "vat" | "stamp_duty" | "withholding";
            clientId: string | null;
            percent: number | null;
            amount: number | null;
            threshold: number | null;
            bearer: string | null;
            effectiveFrom: string;
            source: string;
            createdBy: string | null;
            createdAt: string;
        };
        TaxRatePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["TaxRate"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        TaxRateRequest: {
            tax: "vat" | "stamp_duty" | "withholding";
            clientId?: string;
            percent?: number;
            amount?: number | string;
            threshold?: number | string;
            bearer?: "sender" | "recipient";
            /** @example 2027-01-01 */
            effectiveFrom: string;
            source: string;
        };
        TaxRateResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["TaxRate"];
        };
        TaxSettings: {
            clientId: string;
            legalName: string;
            address: string | null;
            tin: string | null;
            withholdingPercent: number;
            withholdingFrom: string | null;
        };
        TaxSettingsRequest: {
            legalName: string;
            address: string;
            /** @example 01234567-0001 */
            tin: string;
        };
        TaxSettingsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["TaxSettings"];
        };
        TestEvent: {
            eventId: string;
        };
        TestEventResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["TestEvent"];
        };
        Timeline: {
            entries: components["schemas"]["TimelineEntry"][];
            isWhole: boolean;
        };
        TimelineEntry: {
            at: string;
            kind: "advice" | "account" | "number" | "action" | "requery" | "credit" | "reversal" | "suspense" | "refund" | "hold" | "transfer" | "event" | "waiting" | "attempt";
            description: string;
            amount: number | null;
            currency: string | null;
            reference: string | null;
            detail: {
                [key: string]: unknown;
            };
        };
        TimelineEntryPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["TimelineEntry"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        TimelineResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Timeline"];
        };
        TotpEnrolment: {
            secret: string;
            uri: string;
        };
        TotpEnrolmentResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["TotpEnrolment"];
        };
        TotpState: {
            hasTotp: boolean;
        };
        TotpStateResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["TotpState"];
        };
        Transaction: {
            merchantCode: string;
            paymentReference: string;
            adviceReference: string;
            merchantReference: string | null;
            amountCollected: number;
            amount: number;
            callBackUrl: string;
            processorCode: string | null;
            transactionStatus: string;
            currencyCode: string;
            accountNumber: string | null;
            accountNumberMasked: string | null;
            narration: string | null;
            env: string;
            message: string;
            customerName: string;
            paymentDate: string | null;
        };
        TransactionResponse: {
            requestSuccessful: boolean;
            message: string;
            responseCode: string;
            responseData: components["schemas"]["Transaction"];
            warnings?: components["schemas"]["Warning"][];
        };
        TrialBalance: {
            at: string;
            lines: components["schemas"]["TrialBalanceLine"][];
            totals: components["schemas"]["AccountingTotal"][];
        };
        TrialBalanceLine: {
            accountCode: string;
            accountName: string;
            currency: string;
            debit: number;
            credit: number;
        };
        TrialBalanceResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["TrialBalance"];
        };
        UpcomingPeriod: {
            from: string | null;
        };
        UpcomingSettlement: {
            status: string;
            period: components["schemas"]["UpcomingPeriod"];
            currency: string;
            gross: number;
            fees: number;
            vat: number;
            reversed: number;
            refunds: number;
            paidOut: number;
            recovered: number;
            reserved: number;
            released: number;
            carried: number;
            net: number;
            lines: number;
            schedule: string;
            closesAt: string | null;
            cutOff: string | null;
        };
        UpcomingSettlementResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["UpcomingSettlement"];
        };
        User: {
            id: string;
            email: string;
            role: "owner" | "developer" | "finance" | "support" | "operator";
            isActive: boolean;
            isPasswordTemporary: boolean;
            hasTotp: boolean;
            hasPasskey: boolean;
            countsFrom: string | null;
            createdAt: string;
            signedInAt: string | null;
            mailProblem: string | null;
        };
        UserAddresses: {
            addresses: string[] | null;
        };
        UserAddressesResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["UserAddresses"];
        };
        UserPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["User"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        UserResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["User"];
        };
        UserWithPassword: {
            id: string;
            email: string;
            role: "owner" | "developer" | "finance" | "support" | "operator";
            isActive: boolean;
            isPasswordTemporary: boolean;
            hasTotp: boolean;
            hasPasskey: boolean;
            countsFrom: string | null;
            createdAt: string;
            signedInAt: string | null;
            mailProblem: string | null;
            temporaryPassword: string | null;
            invitationLink: string | null;
            invitationExpiresAt: string;
            isMailed: boolean;
        };
        UserWithPasswordResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["UserWithPassword"];
        };
        VatInvoice: {
            number: string;
            kind: "invoice" | "credit_note";
            clientId: string;
            month: string;
            currency: string;
            fees: number;
            vat: number;
            total: number;
            withholdingTax: number;
            withholdingOpen: number;
            seller: components["schemas"]["VatInvoiceParty"];
            buyer: components["schemas"]["VatInvoiceParty"];
            issuedAt: string;
        };
        VatInvoicePage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["VatInvoice"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        VatInvoiceParty: {
            name: string;
            address: string | null;
            tin: string | null;
        };
        VatInvoiceResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["VatInvoice"];
        };
        VatInvoicesRequest: {
            month: string;
        };
        VatReport: {
            month: string;
            output: components["schemas"]["OutputVat"][];
            input: components["schemas"]["InputVat"][];
            totals: components["schemas"]["VatTotal"][];
        };
        VatReportResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["VatReport"];
        };
        VatTotal: {
            currency: string;
            output: number;
            input: number;
            payable: number;
        };
        Warning: {
            field: string;
            message: string;
        };
        WebhookChaos: {
            delayMs: number;
            duplicate: number;
            reorder: boolean;
            dropNext: number;
        };
        WebhookChaosRequest: {
            delayMs?: number;
            duplicate?: number;
            reorder?: boolean;
            dropNext?: number;
        };
        WebhookChaosResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["WebhookChaos"];
        };
        WebhookEndpoint: {
            id: string;
            url: string;
            eventTypes: string[] | null;
            isActive: boolean;
            createdAt: string;
            updatedAt: string;
        };
        WebhookEndpointChange: {
            url?: string;
            eventTypes?: ("account.created" | "account.updated" | "account.deactivated" | "account.activated" | "account.erased" | "collection.received" | "collection.reversed" | "collection.refunded" | "collection.refund_failed" | "payment.processing" | "payment.part_paid" | "payment.extended" | "payment.successful" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.refunded" | "payment.refund_failed" | "credit.suspended" | "credit.assigned" | "credit.returned" | "credit.return_failed" | "credit.reversed" | "payout.confirmed" | "payout.failed" | "payout.returned" | "settlement.closed" | "settlement.paid" | "settlement.failed" | "hold.placed" | "hold.released" | "hold.forfeited" | "alert.raised" | "endpoint.disabled")[] | null;
            isActive?: boolean;
        };
        WebhookEndpointDetail: {
            id: string;
            url: string;
            eventTypes: string[] | null;
            isActive: boolean;
            createdAt: string;
            updatedAt: string;
            secret: string | null;
            health: components["schemas"]["EndpointHealthDetail"];
        };
        WebhookEndpointDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["WebhookEndpointDetail"];
        };
        WebhookEndpointRequest: {
            url: string;
            eventTypes?: ("account.created" | "account.updated" | "account.deactivated" | "account.activated" | "account.erased" | "collection.received" | "collection.reversed" | "collection.refunded" | "collection.refund_failed" | "payment.processing" | "payment.part_paid" | "payment.extended" | "payment.successful" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.refunded" | "payment.refund_failed" | "credit.suspended" | "credit.assigned" | "credit.returned" | "credit.return_failed" | "credit.reversed" | "payout.confirmed" | "payout.failed" | "payout.returned" | "settlement.closed" | "settlement.paid" | "settlement.failed" | "hold.placed" | "hold.released" | "hold.forfeited" | "alert.raised" | "endpoint.disabled")[] | null;
        };
        WebhookEndpointResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["WebhookEndpoint"];
        };
        WebhookEndpointWithHealth: {
            id: string;
            url: string;
            eventTypes: string[] | null;
            isActive: boolean;
            createdAt: string;
            updatedAt: string;
            health: components["schemas"]["EndpointHealth"];
        };
        WebhookEndpointWithHealthPage: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["WebhookEndpointWithHealth"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        WebhookEndpointWithSecret: {
            id: string;
            url: string;
            eventTypes: string[] | null;
            isActive: boolean;
            createdAt: string;
            updatedAt: string;
            secret: string;
        };
        WebhookEndpointWithSecretResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["WebhookEndpointWithSecret"];
        };
        WebhookPush: {
            paymentReference: string;
            eventId: string;
            queued: number;
        };
        WebhookPushResponse: {
            requestSuccessful: boolean;
            message: string;
            responseCode: string;
            responseData: components["schemas"]["WebhookPush"];
            warnings?: components["schemas"]["Warning"][];
        };
        Withdrawn: {
            id: number;
        };
        WithdrawnResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Withdrawn"];
        };
        WithholdingTax: {
            clientId: string;
            currency: string;
            invoiced: number;
            withheld: number;
            creditNotes: number;
            writtenOff: number;
            receivable: number;
        };
        WithholdingTaxReport: {
            month: string;
            rows: components["schemas"]["WithholdingTax"][];
        };
        WithholdingTaxReportResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["WithholdingTaxReport"];
        };
    };
}
export interface events {
    "account.created": components["schemas"]["AccountCreatedEvent"];
    "account.updated": components["schemas"]["AccountUpdatedEvent"];
    "account.deactivated": components["schemas"]["AccountDeactivatedEvent"];
    "account.activated": components["schemas"]["AccountActivatedEvent"];
    "account.erased": components["schemas"]["AccountErasedEvent"];
    "collection.received": components["schemas"]["CollectionReceivedEvent"];
    "collection.reversed": components["schemas"]["CollectionReversedEvent"];
    "collection.refunded": components["schemas"]["CollectionRefundedEvent"];
    "collection.refund_failed": components["schemas"]["CollectionRefundFailedEvent"];
    "payment.processing": components["schemas"]["PaymentProcessingEvent"];
    "payment.part_paid": components["schemas"]["PaymentPartPaidEvent"];
    "payment.extended": components["schemas"]["PaymentExtendedEvent"];
    "payment.successful": components["schemas"]["PaymentSuccessfulEvent"];
    "payment.expired": components["schemas"]["PaymentExpiredEvent"];
    "payment.cancelled": components["schemas"]["PaymentCancelledEvent"];
    "payment.reversed": components["schemas"]["PaymentReversedEvent"];
    "payment.refunded": components["schemas"]["PaymentRefundedEvent"];
    "payment.refund_failed": components["schemas"]["PaymentRefundFailedEvent"];
    "credit.suspended": components["schemas"]["CreditSuspendedEvent"];
    "credit.assigned": components["schemas"]["CreditAssignedEvent"];
    "credit.returned": components["schemas"]["CreditReturnedEvent"];
    "credit.return_failed": components["schemas"]["CreditReturnFailedEvent"];
    "credit.reversed": components["schemas"]["CreditReversedEvent"];
    "payout.confirmed": components["schemas"]["PayoutConfirmedEvent"];
    "payout.failed": components["schemas"]["PayoutFailedEvent"];
    "payout.returned": components["schemas"]["PayoutReturnedEvent"];
    "settlement.closed": components["schemas"]["SettlementClosedEvent"];
    "settlement.paid": components["schemas"]["SettlementPaidEvent"];
    "settlement.failed": components["schemas"]["SettlementFailedEvent"];
    "hold.placed": components["schemas"]["HoldPlacedEvent"];
    "hold.released": components["schemas"]["HoldReleasedEvent"];
    "hold.forfeited": components["schemas"]["HoldForfeitedEvent"];
    "alert.raised": components["schemas"]["AlertRaisedEvent"];
    "endpoint.disabled": components["schemas"]["EndpointDisabledEvent"];
    "endpoint.test": components["schemas"]["EndpointTestEvent"];
}
export type ErrorCode =
    | "invalid_request"
    | "invalid_http"
    | "invalid_json"
    | "ambiguous_json"
    | "oauth_request"
    | "statement_refused"
    | "body_missing"
    | "invalid_reference"
    | "invalid_cursor"
    | "route_not_found"
    | "method_not_allowed"
    | "body_too_large"
    | "media_type_unsupported"
    | "headers_too_large"
    | "request_timeout"
    | "unauthorized"
    | "token_expired"
    | "invalid_credentials"
    | "scope_missing"
    | "address_not_allowed"
    | "session_needed"
    | "csrf_token_wrong"
    | "invalid_sign_in"
    | "wrong_password"
    | "code_needed"
    | "invalid_code"
    | "client_id_needed"
    | "password_expired"
    | "invitation_invalid"
    | "reset_invalid"
    | "chat_not_found"
    | "provider_not_found"
    | "provider_unavailable"
    | "provider_sign_in_failed"
    | "provider_sign_in_expired"
    | "provider_sign_in_needed"
    | "provider_user_unknown"
    | "provider_email_missing"
    | "provider_role_missing"
    | "second_factor_needed"
    | "password_change_needed"
    | "role_not_allowed"
    | "people_only"
    | "too_many_attempts"
    | "merchant_not_allowed"
    | "merchants_restricted"
    | "grant_type_unsupported"
    | "invalid_signature"
    | "source_not_allowed"
    | "signature_too_old"
    | "account_not_found"
    | "advice_not_found"
    | "payment_not_found"
    | "mistyped_code"
    | "number_not_found"
    | "credit_not_found"
    | "suspense_not_found"
    | "return_not_found"
    | "refund_not_found"
    | "difference_not_found"
    | "screening_rule_not_found"
    | "screening_list_not_found"
    | "screening_decision_not_found"
    | "screening_request_not_found"
    | "case_not_found"
    | "evidence_not_found"
    | "hold_not_found"
    | "hold_request_not_found"
    | "message_not_found"
    | "suppression_not_found"
    | "report_schedule_not_found"
    | "report_not_found"
    | "report_expired"
    | "too_many_report_schedules"
    | "adjustment_not_found"
    | "entry_not_found"
    | "holiday_not_found"
    | "vat_invoice_not_found"
    | "payout_not_found"
    | "settlement_not_found"
    | "payout_file_not_found"
    | "statement_not_found"
    | "statement_import_not_found"
    | "bank_account_not_found"
    | "alert_not_found"
    | "request_not_found"
    | "ledger_account_not_found"
    | "limit_profile_not_found"
    | "fee_rule_not_found"
    | "tariff_not_found"
    | "subaccount_not_found"
    | "split_not_found"
    | "replay_not_found"
    | "endpoint_not_found"
    | "event_not_found"
    | "user_not_found"
    | "session_not_found"
    | "rail_item_not_found"
    | "passkey_not_found"
    | "saved_view_not_found"
    | "client_not_found"
    | "bank_not_supported"
    | "numbers_per_customer"
    | "customer_refused"
    | "no_bank_usable"
    | "bank_silent"
    | "idempotency_key_reused"
    | "account_changed"
    | "identity_service_missing"
    | "account_inactive"
    | "account_name_not_pending"
    | "number_ceiling_reached"
    | "replay_running"
    | "limit_profile_exists"
    | "limit_profile_in_use"
    | "subaccount_exists"
    | "split_exists"
    | "fee_rule_overlaps"
    | "fee_rule_in_force"
    | "tier_taken"
    | "too_many_limit_profiles"
    | "merchant_ref_reused"
    | "advice_paid"
    | "advice_reversed"
    | "advice_expired"
    | "advice_cancelled"
    | "payment_has_money"
    | "advice_open"
    | "account_erased"
    | "erasure_waits"
    | "suspense_closed"
    | "return_confirmed"
    | "return_sending"
    | "return_not_by_hand"
    | "return_may_have_been_sent"
    | "return_may_be_paid"
    | "return_failed"
    | "return_credit_reversed"
    | "payment_not_refundable"
    | "credit_not_refundable"
    | "credit_of_payment"
    | "refund_too_large"
    | "refund_not_queued"
    | "refund_payer_unknown"
    | "credit_held"
    | "payout_under_review"
    | "screening_request_open"
    | "screening_reviewed"
    | "screening_rule_untested"
    | "screening_rule_not_draft"
    | "screening_rule_not_active"
    | "screening_rule_list_missing"
    | "screening_list_not_draft"
    | "screening_list_outdated"
    | "screening_rule_name_taken"
    | "case_closed"
    | "case_not_closed"
    | "case_has_holds"
    | "case_full"
    | "evidence_refused"
    | "hold_ended"
    | "hold_of_person"
    | "hold_of_accounts"
    | "hold_empty"
    | "hold_too_small"
    | "hold_too_large"
    | "hold_request_open"
    | "document_recorded"
    | "adjustment_too_large"
    | "difference_resolved"
    | "difference_asked"
    | "entry_not_the_difference"
    | "entry_overdraws_account"
    | "entry_not_possible"
    | "owner_changed"
    | "owner_without_access"
    | "action_not_allowed"
    | "reading_needed"
    | "line_known_otherwise"
    | "reversal_not_possible"
    | "suggestion_gone"
    | "cost_not_booked"
    | "suspense_not_fitting"
    | "approval_needed"
    | "reserve_floor_reached"
    | "insufficient_balance"
    | "bank_account_unknown"
    | "bank_account_exists"
    | "client_suspended"
    | "client_held"
    | "bank_account_inactive"
    | "bank_account_mismatch"
    | "bank_account_needed"
    | "too_many_bank_accounts"
    | "settlement_empty"
    | "settlement_below_minimum"
    | "settlement_in_progress"
    | "cut_off_passed"
    | "settlement_not_closed"
    | "settlement_not_cancellable"
    | "no_default_bank_account"
    | "bank_account_unconfirmed"
    | "payout_limit"
    | "daily_payout_limit"
    | "payout_not_queued"
    | "refund_credit_reversed"
    | "payout_may_have_been_sent"
    | "payout_decided"
    | "payout_settled"
    | "reserve_below_floor"
    | "payout_approval_kept"
    | "payouts_held"
    | "no_payouts_queued"
    | "payout_files_off"
    | "payout_file_paid"
    | "payout_file_not_delivered"
    | "payout_file_settled"
    | "payout_file_may_have_been_sent"
    | "tariff_overlaps"
    | "tariff_in_force"
    | "suspense_requested"
    | "failure_requested"
    | "request_decided"
    | "request_changed"
    | "other_person_needed"
    | "maker_counts_as_you"
    | "second_approver_needed"
    | "user_password_temporary"
    | "voucher_not_independent"
    | "approver_gave_access"
    | "approver_too_new"
    | "approver_not_independent"
    | "approver_chose_account"
    | "disable_requested"
    | "maker_checker_off"
    | "own_request_only"
    | "client_id_taken"
    | "own_client"
    | "too_many_endpoints"
    | "user_exists"
    | "too_many_users"
    | "last_of_role"
    | "operators_only"
    | "totp_not_begun"
    | "nowhere_to_send"
    | "endpoint_inactive"
    | "payment_not_late"
    | "payment_not_open"
    | "requery_not_supported"
    | "too_many_requeries"
    | "sandbox_only"
    | "seed_running"
    | "clock_busy"
    | "clock_backwards"
    | "clock_days_closed"
    | "clock_too_far"
    | "numbers_exhausted"
    | "month_open"
    | "day_not_over"
    | "later_day_closed"
    | "earlier_day_open"
    | "day_not_balanced"
    | "month_not_over"
    | "earlier_month_open"
    | "month_not_ready"
    | "month_not_closed"
    | "reopening_requested"
    | "reopening_not_found"
    | "passkey_needed"
    | "invalid_passkey"
    | "passkey_exists"
    | "too_many_passkeys"
    | "saved_view_exists"
    | "too_many_saved_views"
    | "rate_limited"
    | "too_many_streams"
    | "statement_too_long"
    | "too_many_replays"
    | "too_many_imports"
    | "too_many_exports"
    | "busy"
    | "pages_not_built"
    | "try_again"
    | "internal"
export const EVENT_TYPES = ["account.created","account.updated","account.deactivated","account.activated","account.erased","collection.received","collection.reversed","collection.refunded","collection.refund_failed","payment.processing","payment.part_paid","payment.extended","payment.successful","payment.expired","payment.cancelled","payment.reversed","payment.refunded","payment.refund_failed","credit.suspended","credit.assigned","credit.returned","credit.return_failed","credit.reversed","payout.confirmed","payout.failed","payout.returned","settlement.closed","settlement.paid","settlement.failed","hold.placed","hold.released","hold.forfeited","alert.raised","endpoint.disabled","endpoint.test"] as const
export const ALERT_KINDS = ["numbers_exhausted","number_ceiling_reached","pool_low","number_refused","account_change_refused","session_reused","wrong_bank","rail_item_rejected","reversal_outstanding","reversal_shortfall","reversal_receivable","endpoint_disabled","account_name_review","bank_silent","payout_unknown","payout_contradicted","payout_returned","payout_needs_authorization","payout_blocked","payouts_held","payouts_waiting","payout_file_overdue","suspense_aged","case_deadline_near","case_deadline_missed","hold_deadline_near","hold_deadline_missed","erasure_refused","erasure_paused","held_person_account","reconciliation_difference","statement_missing","audit_failed","screening_late","holidays_run_out","archive_failing","notices_skipped","identity_service_down"] as const
