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
                    active?: "true" | "false";
                    default?: "true" | "false";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OwnAccountList"];
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
                    active?: "true" | "false";
                    default?: "true" | "false";
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
                    limit?: string | number;
                    cursor?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementEntryList"];
                    };
                };
            };
        };
    };
    "/api/v1/limit-profiles": {
        get: {
            parameters: {
                query?: {
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LimitProfileList"];
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
    "/api/v1/operator/fee-rules": {
        get: {
            parameters: {
                query?: {
                    clientId?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["FeeRuleList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["FeeRuleList"];
                    };
                };
            };
        };
    };
    "/api/v1/subaccounts": {
        get: {
            parameters: {
                query?: {
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SubaccountList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SplitList"];
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
                    isActive?: "true" | "false";
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["BankAccountList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutList"];
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
                    "application/json": Record<string, never>;
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["CreditList"];
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
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PaymentList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RefundList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RefundList"];
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
    "/api/v1/refunds": {
        get: {
            parameters: {
                query?: {
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RefundList"];
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
    "/api/v1/operator/adjustments": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdjustmentList"];
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
    "/api/v1/operator/reconciliation/lines": {
        get: {
            parameters: {
                query: {
                    bankCode: string;
                    currency?: string;
                    day: string;
                    isMatched?: "true" | "false";
                    kind?: "credit" | "fee" | "vat" | "stamp_duty" | "sweep" | "payout" | "return" | "other";
                    search?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReconciledLineList"];
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
                    isMatched?: "true" | "false";
                    kind?: "credit" | "charges" | "reversal" | "payout" | "payout_cost" | "payout_return" | "return" | "recovery" | "booked";
                    search?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReconciledItemList"];
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
                    kind?: "missing_in_books" | "missing_at_bank" | "amount_differs" | "duplicate_at_bank" | "duplicate_in_books" | "wrong_account" | "reversed_at_bank" | "payout_paid" | "payout_returned" | "fee_differs" | "unexplained_debit" | "currency_differs" | "sequence_gap" | "balance_gap";
                    state?: "open" | "asked" | "resolved" | "cleared";
                    bucket?: "0-1" | "2-7" | "8-30" | "30+";
                    owner?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["DifferenceList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
                path: {
                    accountNumber: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["TimelineEntryList"];
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
                    active?: "true" | "false";
                    default?: "true" | "false";
                    minAmount?: number | string;
                    maxAmount?: number | string;
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    for?: "spreadsheet";
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
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    for?: "spreadsheet";
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
    "/api/v1/accounts/static/{accountNumber}/statement.csv": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    for?: "spreadsheet";
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
                    from?: string;
                    to?: string;
                    order?: "newest" | "oldest";
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AdviceRecordList"];
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
    "/api/v1/balances/merchants": {
        get: {
            parameters: {
                query?: {
                    at?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["MerchantBalanceList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SubaccountBalanceList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LedgerAccountList"];
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
    "/api/v1/ledger/accounts/{id}/transfers": {
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    limit?: string | number;
                    cursor?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["LedgerTransferList"];
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
    "/api/v1/operator/settlement-holidays": {
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementHolidaysResponse"];
                    };
                };
            };
        };
        put: {
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SettlementHolidays"];
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementHolidaysResponse"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
                path: {
                    reference: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SettlementLineList"];
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
                    "application/json": components["schemas"]["ApproveSettlementRequest"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["SuspenseItemList"];
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
    "/api/v1/suspense/requests": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn" | "void";
                    itemId?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ApprovalRequestList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["WebhookEndpointWithHealthList"];
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
                    type?: "account.created" | "account.updated" | "account.deactivated" | "account.activated" | "account.erased" | "collection.received" | "collection.reversed" | "collection.refunded" | "collection.refund_failed" | "payment.processing" | "payment.part_paid" | "payment.extended" | "payment.successful" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.refunded" | "payment.refund_failed" | "credit.suspended" | "credit.assigned" | "credit.returned" | "credit.return_failed" | "credit.reversed" | "payout.confirmed" | "payout.failed" | "payout.returned" | "settlement.closed" | "settlement.paid" | "settlement.failed" | "alert.raised" | "endpoint.disabled" | "endpoint.test";
                    accountNumber?: string;
                    paymentReference?: string;
                    delivered?: "true" | "false";
                    include?: "deliveries";
                    from?: string;
                    to?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["EventList"];
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
                        "application/json": components["schemas"]["DeliveryDetailList"];
                    };
                };
            };
        };
    };
    "/api/v1/events/stream": {
        get: {
            parameters: {
                query?: {
                    lastEventId?: string;
                };
                header?: {
                    "last-event-id"?: string;
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
    "/api/v1/audit-log": {
        get: {
            parameters: {
                query?: {
                    actor?: string;
                    action?: string;
                    subject?: string;
                    from?: string;
                    to?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AuditLogEntryList"];
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
                        "application/json": components["schemas"]["SessionList"];
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
                        "application/json": components["schemas"]["PasskeyList"];
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
                        "application/json": components["schemas"]["NewPasskeyResponse"];
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
    "/dashboard/api/users": {
        get: {
            parameters: {
                query?: {
                    clientId?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["UserList"];
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
                    active?: "true" | "false";
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ClientList"];
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
                    days?: string | number;
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
    "/api/v1/operator/returns": {
        get: {
            parameters: {
                query?: {
                    status?: "pending" | "confirmed" | "failed";
                    bankCode?: string;
                    from?: string;
                    to?: string;
                    reveal?: "true" | "false";
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["ReturnList"];
                    };
                };
            };
        };
    };
    "/api/v1/operator/returns/{reference}": {
        get: {
            parameters: {
                query?: {
                    reveal?: "true" | "false";
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutFileList"];
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
    "/api/v1/operator/payout-failures": {
        get: {
            parameters: {
                query?: {
                    state?: "open" | "approved" | "rejected" | "withdrawn";
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutFailureList"];
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
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutFailureResponse"];
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
                        "application/json": components["schemas"]["PayoutFailureResponse"];
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
                        "application/json": components["schemas"]["PayoutFailureResponse"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["OperatorPayoutList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["PayoutTariffList"];
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
                    kind?: "numbers_exhausted" | "pool_low" | "number_refused" | "account_change_refused" | "session_reused" | "wrong_bank" | "rail_item_rejected" | "reversal_outstanding" | "reversal_shortfall" | "reversal_receivable" | "endpoint_disabled" | "account_name_review" | "bank_silent" | "payout_unknown" | "payout_contradicted" | "payout_returned" | "payout_needs_authorization" | "payout_blocked" | "payouts_held" | "payouts_waiting" | "payout_file_overdue" | "reconciliation_difference" | "statement_missing" | "audit_failed" | "archive_failing";
                    open?: "true" | "false";
                    from?: string;
                    to?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["AlertList"];
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
    "/api/v1/operator/rail-items": {
        get: {
            parameters: {
                query?: {
                    outcome?: "awaited" | "taken" | "rejected" | "unreadable";
                    bankCode?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["RailItemList"];
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
    "/api/v1/operator/statements": {
        get: {
            parameters: {
                query?: {
                    bankCode?: string;
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementList"];
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
    "/api/v1/operator/statements/{id}/lines": {
        get: {
            parameters: {
                query?: {
                    isMatched?: "true" | "false";
                    limit?: string | number;
                    cursor?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementLineList"];
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
                    limit?: string | number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": components["schemas"]["StatementImportList"];
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
                        "application/json": components["schemas"]["StatementProfileList"];
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
                /** @example 6000.00 */
                minAmount?: number | string;
                /** @example 6000.00 */
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
        AccountingTotal: {
            currency: string;
            debit: number;
            credit: number;
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
            state: string;
            requestedBy: string;
            requestedAt: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            decisionReason: string | null;
        };
        AdjustmentList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Adjustment"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        AdjustmentRequest: {
            kind: "recovery" | "write_off";
            of: "receivable" | "shortfall";
            clientId?: string;
            bankCode?: string;
            /** @example 6000.00 */
            amount: number | string;
            reason: string;
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
        AdviceRecordList: {
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
            /** @example 6000.00 */
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
            bucket: "0-1" | "2-7" | "8-30" | "30+";
            count: number;
            amount: number;
        };
        AgedSuspenseTotal: {
            currency: string;
            bucket: "0-1" | "2-7" | "8-30" | "30+";
            count: number;
            amount: number;
        };
        Alert: {
            id: number;
            kind: string;
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
        AlertList: {
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
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            decisionReason: string | null;
        };
        ApprovalRequestList: {
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
        ApproveSettlementRequest: {
            bankAccounts?: string[];
            accountNames?: string[];
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
        AuditLogEntryList: {
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
            inTransit: number;
            paidOut: number;
            refunded: number;
            payoutFees: number;
            receivable: number;
            writtenOff: number;
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
        BankAccountList: {
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
        Client: {
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
        ClientList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Client"][];
            hasMore: boolean;
            nextCursor: string | null;
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
            archivedIn: string | null;
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
            archivedIn: string | null;
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
        CreditList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Credit"][];
            hasMore: boolean;
            nextCursor: string | null;
            archivedBefore: string | null;
        };
        CreditLocation: {
            amount: number;
            place: "collection_account" | "payment" | "suspense" | "returning" | "returned" | "reversed";
            reference: string | null;
            reason: string | null;
            description: string;
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
        DeliveryDetailList: {
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
            payout: components["schemas"]["DifferencePayout"] | null;
            statementId: string | null;
            suggestion: components["schemas"]["BankItem"] | null;
            readings: string[];
            actions: string[];
            action: string | null;
            reason: string | null;
            askedBy: string | null;
            askedAt: string | null;
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
            payout: components["schemas"]["DifferencePayout"] | null;
            statementId: string | null;
            suggestion: components["schemas"]["BankItem"] | null;
            readings: string[];
            actions: string[];
            action: string | null;
            reason: string | null;
            askedBy: string | null;
            askedAt: string | null;
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
        DifferenceList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Difference"][];
            hasMore: boolean;
            nextCursor: string | null;
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
            type: "account.created" | "account.updated" | "account.deactivated" | "account.activated" | "account.erased" | "collection.received" | "collection.reversed" | "collection.refunded" | "collection.refund_failed" | "payment.processing" | "payment.part_paid" | "payment.extended" | "payment.successful" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.refunded" | "payment.refund_failed" | "credit.suspended" | "credit.assigned" | "credit.returned" | "credit.return_failed" | "credit.reversed" | "payout.confirmed" | "payout.failed" | "payout.returned" | "settlement.closed" | "settlement.paid" | "settlement.failed" | "alert.raised" | "endpoint.disabled" | "endpoint.test";
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
        };
        EventDetail: {
            id: string;
            type: "account.created" | "account.updated" | "account.deactivated" | "account.activated" | "account.erased" | "collection.received" | "collection.reversed" | "collection.refunded" | "collection.refund_failed" | "payment.processing" | "payment.part_paid" | "payment.extended" | "payment.successful" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.refunded" | "payment.refund_failed" | "credit.suspended" | "credit.assigned" | "credit.returned" | "credit.return_failed" | "credit.reversed" | "payout.confirmed" | "payout.failed" | "payout.returned" | "settlement.closed" | "settlement.paid" | "settlement.failed" | "alert.raised" | "endpoint.disabled" | "endpoint.test";
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
        EventList: {
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
            /** @example 6000.00 */
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
        FeeRuleList: {
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
        LedgerAccountList: {
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
            postedAt: string;
        };
        LedgerTransferList: {
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
            createdAt: string;
            updatedAt: string;
        };
        LimitProfileList: {
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
        MerchantBalanceList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["MerchantBalance"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        NewPasskey: {
            passkey: components["schemas"]["Passkey"];
            recoveryCodes: string[];
        };
        NewPasskeyResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["NewPasskey"];
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
            inTransit: number;
            feeIncome: number;
            vatPayable: number;
            receivable: number;
            writtenOff: number;
            bankBalance: number;
            shortfall: number;
            bankCosts: number;
            inputVat: number;
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
            inTransit: number;
            feeIncome: number;
            vatPayable: number;
            receivable: number;
            writtenOff: number;
            bankBalance: number;
            shortfall: number;
            bankCosts: number;
            inputVat: number;
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
            failureRequest: components["schemas"]["PayoutFailure"] | null;
        };
        OperatorPayoutDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["OperatorPayoutDetail"];
        };
        OperatorPayoutList: {
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
            verifiedName: string | null;
            payerRules: components["schemas"]["PayerRules"];
            limits: components["schemas"]["LimitsInForce"];
            ownLimits: components["schemas"]["OwnLimits"];
            limitProfile: string | null;
            splitCode: string | null;
            version: number;
        };
        OwnAccountList: {
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
        PasskeyList: {
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
            /** @example 6000.00 */
            minAmount?: number | string;
            /** @example 6000.00 */
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
            paymentReference: string;
            adviceReference: string;
            merchantRef: string | null;
            status: string;
            message: string;
            amount: number;
            amountPaid: number;
            amountRemaining: number;
            currency: string;
            bankName: string;
            bankCode: string;
            bankAccount: string;
            accountName: string;
            customerName: string;
            callBackUrl: string;
            expiresAt: string;
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
            paymentReference: string;
            adviceReference: string;
            merchantRef: string | null;
            status: string;
            message: string;
            amount: number;
            amountPaid: number;
            amountRemaining: number;
            currency: string;
            bankName: string;
            bankCode: string;
            bankAccount: string;
            accountName: string;
            customerName: string;
            callBackUrl: string;
            expiresAt: string;
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
                paymentReference: string;
                adviceReference: string;
                merchantRef: string | null;
                status: string;
                message: string;
                amount: number;
                amountPaid: number;
                amountRemaining: number;
                currency: string;
                bankName: string;
                bankCode: string;
                bankAccount: string;
                accountName: string;
                customerName: string;
                callBackUrl: string;
                expiresAt: string;
            };
        };
        PaymentList: {
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
            paymentReference: string;
            adviceReference: string;
            merchantRef: string | null;
            status: string;
            message: string;
            amount: number;
            amountPaid: number;
            amountRemaining: number;
            currency: string;
            bankName: string;
            bankCode: string;
            bankAccount: string;
            accountName: string;
            customerName: string;
            callBackUrl: string;
            expiresAt: string;
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
                paymentReference: string;
                adviceReference: string;
                merchantRef: string | null;
                status: string;
                message: string;
                amount: number;
                amountPaid: number;
                amountRemaining: number;
                currency: string;
                bankName: string;
                bankCode: string;
                bankAccount: string;
                accountName: string;
                customerName: string;
                callBackUrl: string;
                expiresAt: string;
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
        PayoutFailure: {
            reference: string;
            payout: string | null;
            payoutFile: string | null;
            amount: number;
            reason: string | null;
            evidence: string;
            state: string;
            requestedBy: string;
            requestedAt: string;
            cannotApprove: {
                code: string;
                message: string;
            } | null;
            decidedBy: string | null;
            decidedAt: string | null;
            decisionReason: string | null;
        };
        PayoutFailureList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutFailure"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        PayoutFailureResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutFailure"];
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
            failureRequest: components["schemas"]["PayoutFailure"] | null;
        };
        PayoutFileDetailResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutFileDetail"];
        };
        PayoutFileList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PayoutFile"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        PayoutList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Payout"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        PayoutRequest: {
            bankAccount?: string;
            /** @example 6000.00 */
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
        };
        PayoutSettingsRequest: {
            payoutApproval?: "none" | "above" | "all";
            approvalAbove?: (number | string) | null;
            twoApproversAbove?: (number | string) | null;
            perPayoutLimit?: (number | string) | null;
            dailyLimit?: (number | string) | null;
            reserveFloorPercent?: number;
            reserveFloorDays?: number;
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
        PayoutTariffList: {
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
        };
        PendingApprovalsResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["PendingApprovals"];
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
        RailItemList: {
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
        ReconciledItemList: {
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
        };
        ReconciledLineList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["ReconciledLine"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        ReconciliationAgeing: {
            differences: components["schemas"]["AgedDifferences"][];
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
            reason: string;
            paymentReference: string | null;
            creditId: number | null;
            payouts: components["schemas"]["RefundPayout"][];
            requestedBy: string;
            requestedAt: string;
        };
        RefundList: {
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
            /** @example 6000.00 */
            amount: number | string;
            reason: string;
        };
        RefundResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["Refund"];
        };
        Replay: {
            queued: number;
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
        Requery: {
            paymentReference: string;
            questions: {
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
        ReturnList: {
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
            /** @example 6000.00 */
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
        SearchHit: {
            type: "payment" | "advice" | "account" | "credit" | "event" | "payout" | "settlement" | "refund" | "return" | "statement";
            reference: string;
            href: string;
            title: string;
            detail: string | null;
            amount: number | null;
            currency: string | null;
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
        SessionList: {
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
        SettlementHoliday: {
            date: string;
            name: string;
        };
        SettlementHolidays: {
            holidays: components["schemas"]["SettlementHoliday"][];
        };
        SettlementHolidaysResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SettlementHolidays"];
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
        SettlementLineList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["SettlementLine"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        SettlementList: {
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
        SignInRequest: {
            email: string;
            password: string;
            code?: string;
            passkey?: components["schemas"]["PasskeyAssertion"];
            clientId?: string;
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
        SplitList: {
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
            /** @example 6000.00 */
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
            postedAt: string;
        };
        StatementEntryList: {
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
        StatementImportList: {
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
        StatementLineList: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["StatementLine"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        StatementList: {
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
        StatementProfileList: {
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
        SubaccountBalanceList: {
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
        SubaccountList: {
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
        SuspenseItemList: {
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
            kind: "advice" | "account" | "number" | "action" | "requery" | "credit" | "reversal" | "suspense" | "refund" | "transfer" | "archive" | "event" | "waiting" | "attempt";
            description: string;
            amount: number | null;
            currency: string | null;
            reference: string | null;
            detail: {
                [key: string]: string | number | null;
            };
        };
        TimelineEntryList: {
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
        };
        UserList: {
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
            temporaryPassword: string;
            invitationLink: string;
            invitationExpiresAt: string;
        };
        UserWithPasswordResponse: {
            isSuccessful: boolean;
            message: string;
            data: components["schemas"]["UserWithPassword"];
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
            eventTypes?: ("account.created" | "account.updated" | "account.deactivated" | "account.activated" | "account.erased" | "collection.received" | "collection.reversed" | "collection.refunded" | "collection.refund_failed" | "payment.processing" | "payment.part_paid" | "payment.extended" | "payment.successful" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.refunded" | "payment.refund_failed" | "credit.suspended" | "credit.assigned" | "credit.returned" | "credit.return_failed" | "credit.reversed" | "payout.confirmed" | "payout.failed" | "payout.returned" | "settlement.closed" | "settlement.paid" | "settlement.failed" | "alert.raised" | "endpoint.disabled")[] | null;
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
            eventTypes?: ("account.created" | "account.updated" | "account.deactivated" | "account.activated" | "account.erased" | "collection.received" | "collection.reversed" | "collection.refunded" | "collection.refund_failed" | "payment.processing" | "payment.part_paid" | "payment.extended" | "payment.successful" | "payment.expired" | "payment.cancelled" | "payment.reversed" | "payment.refunded" | "payment.refund_failed" | "credit.suspended" | "credit.assigned" | "credit.returned" | "credit.return_failed" | "credit.reversed" | "payout.confirmed" | "payout.failed" | "payout.returned" | "settlement.closed" | "settlement.paid" | "settlement.failed" | "alert.raised" | "endpoint.disabled")[] | null;
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
        WebhookEndpointWithHealthList: {
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
    | "number_not_found"
    | "credit_not_found"
    | "suspense_not_found"
    | "return_not_found"
    | "refund_not_found"
    | "difference_not_found"
    | "adjustment_not_found"
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
    | "endpoint_not_found"
    | "event_not_found"
    | "user_not_found"
    | "session_not_found"
    | "rail_item_not_found"
    | "passkey_not_found"
    | "client_not_found"
    | "bank_not_supported"
    | "numbers_per_customer"
    | "customer_refused"
    | "no_bank_usable"
    | "bank_silent"
    | "idempotency_key_reused"
    | "account_changed"
    | "account_inactive"
    | "account_name_not_pending"
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
    | "credit_archived"
    | "period_archived"
    | "credit_of_payment"
    | "refund_too_large"
    | "refund_not_queued"
    | "refund_payer_unknown"
    | "adjustment_too_large"
    | "difference_resolved"
    | "difference_asked"
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
    | "insufficient_balance"
    | "bank_account_unknown"
    | "bank_account_exists"
    | "client_suspended"
    | "bank_account_inactive"
    | "bank_account_mismatch"
    | "bank_account_needed"
    | "too_many_bank_accounts"
    | "settlement_empty"
    | "settlement_below_minimum"
    | "settlement_in_progress"
    | "cut_off_passed"
    | "settlement_not_closed"
    | "settlement_accounts_changed"
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
    | "other_person_needed"
    | "maker_counts_as_you"
    | "second_approver_needed"
    | "user_password_temporary"
    | "voucher_not_independent"
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
    | "clock_backwards"
    | "clock_too_far"
    | "numbers_exhausted"
    | "day_not_over"
    | "later_day_closed"
    | "earlier_day_open"
    | "day_not_balanced"
    | "passkey_needed"
    | "invalid_passkey"
    | "passkey_exists"
    | "too_many_passkeys"
    | "rate_limited"
    | "too_many_streams"
    | "statement_too_long"
    | "too_many_imports"
    | "too_many_exports"
    | "busy"
    | "pages_not_built"
    | "try_again"
    | "internal"
export const EVENT_TYPES = ["account.created","account.updated","account.deactivated","account.activated","account.erased","collection.received","collection.reversed","collection.refunded","collection.refund_failed","payment.processing","payment.part_paid","payment.extended","payment.successful","payment.expired","payment.cancelled","payment.reversed","payment.refunded","payment.refund_failed","credit.suspended","credit.assigned","credit.returned","credit.return_failed","credit.reversed","payout.confirmed","payout.failed","payout.returned","settlement.closed","settlement.paid","settlement.failed","alert.raised","endpoint.disabled","endpoint.test"] as const
export const ALERT_KINDS = ["numbers_exhausted","pool_low","number_refused","account_change_refused","session_reused","wrong_bank","rail_item_rejected","reversal_outstanding","reversal_shortfall","reversal_receivable","endpoint_disabled","account_name_review","bank_silent","payout_unknown","payout_contradicted","payout_returned","payout_needs_authorization","payout_blocked","payouts_held","payouts_waiting","payout_file_overdue","reconciliation_difference","statement_missing","audit_failed","archive_failing"] as const
