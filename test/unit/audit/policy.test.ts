import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type AuditPolicy, policyEvaluator } from '../../../src/audit/policy.ts'
import type { RequestInfo, User } from '../../../src/meta/context.ts'
import { parseRequestInfo } from '../../../src/server/filters/request-info.ts'

const alice: User = { name: 'alice', groups: ['dev', 'ops'] }

const info = (path: string, method = 'GET'): RequestInfo => parseRequestInfo(method, path, () => new URLSearchParams())

/** Whether a rule matches a request of alice. */
const matches = (rule: Partial<AuditPolicy['rules'][number]>, path: string, method = 'GET'): boolean =>
  policyEvaluator({ rules: [{ level: 'Metadata', ...rule }] })(alice, info(path, method)) !== undefined

const POD = '/api/v1/namespaces/a/pods/p'
const LOG = `${POD}/log`
const NODE = '/api/v1/nodes/n'
const SCALE = '/apis/apps/v1/namespaces/a/deployments/d/scale'

describe('an audit policy', () => {
  const cases: [string, Partial<AuditPolicy['rules'][number]>, matching: string[], others: string[]][] = [
    ['anything', {}, [POD, '/healthz'], []],
    ['a user', { users: ['alice'] }, [POD], []],
    ['another user', { users: ['bob'] }, [], [POD]],
    ['one of her groups', { userGroups: ['x', 'ops'] }, [POD], []],
    ['none of her groups', { userGroups: ['x'] }, [], [POD]],
    ['a verb', { verbs: ['list'] }, ['/api/v1/pods'], [POD, '/healthz']],
    ['a method', { verbs: ['get'] }, [POD, '/healthz'], ['/api/v1/pods']],
    ['a namespace', { namespaces: ['a'] }, [POD, LOG, '/api/v1/namespaces/a'], [NODE, '/healthz', '/api/v1/namespaces/b/pods']],
    ['no namespace', { namespaces: [''] }, [NODE, '/api/v1/pods'], [POD, '/healthz']],
    ['a group', { resources: [{ group: 'apps' }] }, [SCALE], [POD]],
    ['the core group', { resources: [{}] }, [POD, LOG, NODE], [SCALE, '/healthz']],
    ['a resource', { resources: [{ resources: ['pods'] }] }, [POD, '/api/v1/pods'], [LOG, NODE]],
    ['a subresource', { resources: [{ resources: ['pods/log'] }] }, [LOG], [POD, NODE]],
    ['all that belongs to a resource', { resources: [{ resources: ['pods/*'] }] }, [POD, LOG], [NODE]],
    ['a subresource of anything', { resources: [{ group: 'apps', resources: ['*/scale'] }] }, [SCALE], [LOG]],
    ['everything of a group', { resources: [{ resources: ['*'] }] }, [POD, LOG, NODE], [SCALE]],
    ['a name', { resources: [{ resources: ['pods'], resourceNames: ['p'] }] }, [POD], ['/api/v1/namespaces/a/pods/q', LOG]],
    ['a name of any group whose resources are not named', { resources: [{ resourceNames: ['x'] }] }, [POD], []],
    ['a path', { nonResourceURLs: ['/healthz'] }, ['/healthz'], ['/healthz/etcd', POD]],
    ['the begin of a path', { nonResourceURLs: ['/healthz*'] }, ['/healthz', '/healthz/etcd'], ['/livez']],
    ['any path', { nonResourceURLs: ['*'] }, ['/healthz', '/'], [POD]],
  ]
  for (const [what, rule, matching, others] of cases)
    it(`matches ${what}`, () => {
      expect(matching.filter(path => !matches(rule, path))).to.deep.equal([])
      expect(others.filter(path => matches(rule, path))).to.deep.equal([])
    })

  for (const [i, line] of readFileSync(join(import.meta.dirname, '../../fixtures/audit/policy-rules-1.33.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .entries())
    it(`decides like upstream: ${i}`, () => {
      const { policy, asked, level, omitStages, omitManagedFields } = JSON.parse(line)
      const audited = policyEvaluator(policy)(asked.user, asked)
      if (level === 'None') return void expect(audited).to.equal(undefined)
      expect({ ...audited, omitStages: [...(audited?.omitStages ?? [])].sort() }).to.deep.equal({ level, omitStages, omitManagedFields })
    })

  it('applies the first matching rule', () => {
    const evaluate = policyEvaluator({
      rules: [{ level: 'None', verbs: ['get'] }, { level: 'Request', namespaces: ['a'] }, { level: 'Metadata' }],
    })
    expect([info(POD), info(POD, 'PUT'), info(NODE, 'PUT')].map(each => evaluate(alice, each)?.level)).to.deep.equal([
      undefined,
      'Request',
      'Metadata',
    ])
  })
  it('does not match rules with users if the request was not authenticated', () => {
    expect(policyEvaluator({ rules: [{ level: 'Metadata', users: [''] }] })(undefined, info(POD))).to.equal(undefined)
    expect(policyEvaluator({ rules: [{ level: 'Metadata', userGroups: ['dev'] }] })(undefined, info(POD))).to.equal(undefined)
  })
  it('omits the stages of the policy and of the rule', () => {
    const evaluate = policyEvaluator({ omitStages: ['RequestReceived'], rules: [{ level: 'Metadata', omitStages: ['Panic'] }] })
    expect([...(evaluate(alice, info(POD))?.omitStages ?? [])]).to.deep.equal(['RequestReceived', 'Panic'])
  })
  it('lets a rule override omitManagedFields', () => {
    const of = (rule: { omitManagedFields?: boolean }, omitManagedFields?: boolean) =>
      policyEvaluator({ ...(omitManagedFields !== undefined && { omitManagedFields }), rules: [{ level: 'Metadata', ...rule }] })(
        alice,
        info(POD),
      )?.omitManagedFields
    expect([of({}), of({}, true), of({ omitManagedFields: false }, true), of({ omitManagedFields: true })]).to.deep.equal([
      false,
      true,
      false,
      true,
    ])
  })
})
