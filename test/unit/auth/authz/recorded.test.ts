import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compileConditions } from '../../../../src/auth/authz/configuration/match-conditions.ts'
import { rbacAuthorizer } from '../../../../src/auth/authz/rbac/authorizer.ts'
import { ruleAllows } from '../../../../src/auth/authz/rbac/policy.ts'
import { RuleIndex } from '../../../../src/auth/authz/rbac/rule-index.ts'
import { webhookAuthorizer } from '../../../../src/auth/authz/webhook/authorizer.ts'
import { AuthorizationWebhookMetrics } from '../../../../src/auth/authz/webhook/metrics.ts'
import { webhookBackoff } from '../../../../src/clients/backoff.ts'
import { RemoteCallError } from '../../../../src/clients/remote-client.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import type { RequestAttributes } from '../../../../src/meta/context.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { nonResourceAttributes, resourceAttributes } from '../../../../src/meta/request-attributes.ts'
import { serverResponse } from '../../../../src/meta/server-response.ts'

const { signal } = new AbortController()
const recorded = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../fixtures/authorization', `${name}-1.33.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

type Given = Partial<RequestAttributes> & {
  readonly fields?: RequestAttributes['fieldSelector']
  readonly labels?: RequestAttributes['labelSelector']
}

/** A recorded request. `fields` and `labels` are its selectors. */
function attributesOf({ isResource, verb = '', path = '', fields, labels, ...rest }: Given): RequestAttributes {
  if (!isResource) return nonResourceAttributes(verb, path)
  return resourceAttributes({ verb, ...rest, ...(fields && { fieldSelector: fields }), ...(labels && { labelSelector: labels }) })
}

describe("ruleAllows, upstream's test cases", () => {
  for (const [i, { rule, asked, allows }] of recorded('rules').entries())
    it(`${i} ${JSON.stringify(rule)} ${allows ? 'allows' : 'does not allow'} ${asked.verb} ${asked.resource ?? asked.path}`, () =>
      expect(ruleAllows(rule, attributesOf(asked))).to.equal(allows))
})

describe("rbacAuthorizer, upstream's test cases", () => {
  for (const [i, { roles = [], clusterRoles = [], roleBindings = [], clusterRoleBindings = [], asks }] of recorded('rbac').entries())
    it(`${i}: ${asks.length} requests`, async () => {
      const index = new RuleIndex()
      for (const role of [...roles, ...clusterRoles]) index.putRole(role)
      // Upstream's bindings have no names.
      for (const [at, binding] of [...roleBindings, ...clusterRoleBindings].entries())
        index.putBinding({ ...binding, metadata: { ...binding.metadata, name: `binding-${at}` } })
      for (const { user: name = '', groups = [], decision, reason = '', ...asked } of asks) {
        const found = await rbacAuthorizer(index).authorize({ name, groups }, attributesOf(asked), signal)
        expect({ ...found, reason: found.reason.replace(/binding-\d+/, '') }, JSON.stringify(asked)).to.deep.equal({
          decision,
          reason,
          ...(decision === 'allow' && { by: 'RBAC' }),
        })
      }
    })
})

describe("webhookAuthorizer, upstream's test cases", () => {
  for (const [i, { onError, authorizedTTL, unauthorizedTTL, conditions, asks }] of recorded('webhook').entries())
    it(`${i}: ${asks.length} requests, ${conditions.length} conditions`, async () => {
      let calls: { code: number; status?: object }[] = []
      const sent: string[] = []
      const post = async (body: string | Buffer) => {
        sent.push(body.toString())
        const { code = 0, status } = calls.shift() ?? {}
        if (status) return { status: code, headers: {}, body: Buffer.from(JSON.stringify({ status })) }
        const answer = serverResponse(code, undefined, 'HTTP Error')
        throw new RemoteCallError(answer.message, { statusCode: code, status: answer })
      }
      const { matcher } = compileConditions(
        conditions.map((expression: string) => ({ expression })),
        fieldPath('conditions'),
        { structured: true, selectors: true },
      )
      const options = {
        name: 'hook',
        client: { post, close: () => {} },
        version: 'v1',
        onFailure: onError,
        backoff: webhookBackoff(1),
      } as const
      const authorizer = webhookAuthorizer(
        { ...options, authorizedTtlMs: authorizedTTL / 1e6, unauthorizedTtlMs: unauthorizedTTL / 1e6, ...(matcher && { matcher }) },
        {
          metrics: new AuthorizationWebhookMetrics(),
          logger: silentLogger,
          now: () => 0,
          selectors: true,
          waits: { random: () => 0, wait: async () => {} },
        },
      )
      for (const { attributes, calls: answers, spec, decision, reason = '', error } of asks) {
        const { user, ...asked } = attributes
        calls = structuredClone(answers)
        sent.length = 0
        const found = await authorizer.authorize({ name: '', groups: [], ...user }, attributesOf(asked), signal)
        expect(found).to.deep.equal({ decision, reason, ...(error && { error }) })
        expect(sent.map(text => JSON.parse(text).spec)).to.deep.equal(answers.map(() => spec))
      }
    })
})
