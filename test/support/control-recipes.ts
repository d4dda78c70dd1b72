// Requests to the operator's routes for screening and cases, which test/access/route-isolation.test.ts sends
// as a client that is not the operator.

import { OPERATOR, REASON } from './accounting.ts'
import type { Recipe } from './isolation-recipes.ts'

const SCREENING = `${OPERATOR}/screening`
const RULE = `${SCREENING}/rules/SCR000000000001`
const DECISION = `${SCREENING}/decisions/SCD000000000001`
const REQUEST = `${SCREENING}/requests/1`
const CASES = `${OPERATOR}/cases`
const CASE = `${CASES}/CAS000000000001`

const get = (url: string): Recipe => {
  return () => [{ url }]
}
const post = (url: string, body: object = {}): Recipe => {
  return () => [{ method: 'POST', url, body }]
}

const NEW_RULE = {
  name: 'Large',
  subject: 'credit',
  kind: 'new_payer',
  outcome: 'hold',
  params: { amount: 1000, days: 30 },
  effectiveFrom: '2030-01-01T00:00:00+01:00',
  reason: 'A rule',
}

export function controlRecipes(): Record<string, Recipe> {
  return { ...screeningRecipes(), ...caseRecipes() }
}

// For each operation, the requests that name another client's objects (isolation-recipes.ts).
function screeningRecipes(): Record<string, Recipe> {
  return {
    listScreeningRules: get(`${SCREENING}/rules`),
    draftScreeningRule: post(`${SCREENING}/rules`, NEW_RULE),
    getScreeningRule: get(RULE),
    testScreeningRule: post(`${SCREENING}/rules/test`, {
      rule: 'SCR000000000001',
      from: '2026-10-01T00:00:00+01:00',
      to: '2026-11-01T00:00:00+01:00',
    }),
    activateScreeningRule: post(`${RULE}/activate`, REASON),
    endScreeningRule: post(`${RULE}/end`, REASON),
    listScreeningLists: get(`${SCREENING}/lists`),
    uploadScreeningList: () => [
      {
        method: 'POST',
        url: `${SCREENING}/lists?name=UN&format=csv`,
        body: 'id,name\n1,Ada Obi\n',
        headers: { 'content-type': 'text/csv' },
      },
    ],
    getScreeningList: get(`${SCREENING}/lists/1`),
    activateScreeningList: post(`${SCREENING}/lists/1/activate`, REASON),
    listScreeningDecisions: get(`${SCREENING}/decisions`),
    getScreeningDecision: get(DECISION),
    releaseScreenedPayout: post(`${DECISION}/release`, REASON),
    refuseScreenedPayout: post(`${DECISION}/refuse`, REASON),
    listScreeningRequests: get(`${SCREENING}/requests`),
    getScreeningRequest: get(REQUEST),
    approveScreeningRequest: post(`${REQUEST}/approve`),
    rejectScreeningRequest: post(`${REQUEST}/reject`, REASON),
    withdrawScreeningRequest: post(`${REQUEST}/withdraw`),
  }
}

// For each operation, the requests that name another client's objects (isolation-recipes.ts).
function caseRecipes(): Record<string, Recipe> {
  return {
    listCases: get(CASES),
    openCase: (things) => [
      {
        method: 'POST',
        url: CASES,
        body: { source: 'bank', clientId: things.clientId, summary: 'Reported' },
      },
    ],
    getCase: get(CASE),
    addCaseNote: post(`${CASE}/notes`, { note: 'Called the bank' }),
    addCaseParty: post(`${CASE}/parties`, { role: 'victim', name: 'Ada Obi' }),
    linkCaseCredit: (things) => [
      {
        method: 'POST',
        url: `${CASE}/credits`,
        body: { sessionId: things.sessionId, clientId: things.clientId },
      },
    ],
    meetCaseDeadline: post(`${CASE}/deadlines/acknowledge/meet`),
    investigateCase: post(`${CASE}/investigate`),
    closeCase: post(`${CASE}/close`, { outcome: 'unfounded', ...REASON }),
    reopenCase: post(`${CASE}/reopen`, REASON),
    listCaseDeadlines: get(`${OPERATOR}/case-deadlines`),
    setCaseDeadline: () => [
      {
        method: 'PUT',
        url: `${OPERATOR}/case-deadlines/acknowledge`,
        body: { unit: 'minutes', length: 30, warnMinutes: 5, source: 'A rule' },
      },
    ],
    exportCase: get(`${CASE}/export.json`),
    printCase: get(`${CASE}/export.html`),
    getCaseEvidence: get(`${CASE}/evidence/1`),
    addCaseEvidence: () => [
      {
        method: 'POST',
        url: `${CASE}/evidence?name=letter.txt`,
        body: 'A letter',
        headers: { 'content-type': 'text/plain' },
      },
    ],
  }
}
