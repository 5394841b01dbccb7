import { expect } from 'chai'
import { type AuthorizationRule, parseRules, rulesAuthorizer } from '../../../../src/auth/authz/rules.ts'
import { resultAtOnce } from '../../../../src/lib/steps.ts'
import { parseRequestInfo } from '../../../../src/server/filters/request-info.ts'

const signal = new AbortController().signal
const info = (request: string) => {
  const [method = '', url = ''] = request.split(' ')
  const [path = '', search = ''] = url.split('?')
  return parseRequestInfo(method, path, () => new URLSearchParams(search))
}
const base: AuthorizationRule = { users: ['alice'], verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] }

describe('rulesAuthorizer', () => {
  const cases: [string, AuthorizationRule, string, string, string[], boolean][] = [
    ['user and verb', base, 'GET /api/v1/namespaces/a/pods/p', 'alice', [], true],
    ['another user', base, 'GET /api/v1/namespaces/a/pods/p', 'bob', [], false],
    ['another verb', base, 'DELETE /api/v1/namespaces/a/pods/p', 'alice', [], false],
    ['another resource', base, 'GET /api/v1/namespaces/a/secrets/p', 'alice', [], false],
    ['another group', base, 'GET /apis/x/v1/namespaces/a/pods/p', 'alice', [], false],
    ['a listed subresource', base, 'GET /api/v1/namespaces/a/pods/p/log', 'alice', [], true],
    ['an unlisted subresource', base, 'GET /api/v1/namespaces/a/pods/p/status', 'alice', [], false],
    ['any resource’s subresource', { ...base, resources: ['*/status'] }, 'GET /api/v1/namespaces/a/pods/p/status', 'alice', [], true],
    ['by group', { ...base, users: [], groups: ['dev'] }, 'GET /api/v1/pods', 'bob', ['dev'], true],
    [
      'everything',
      { users: ['*'], verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      'PATCH /apis/x/v1/namespaces/a/y/z/status',
      'bob',
      [],
      true,
    ],
    ['its namespace', { ...base, namespaces: ['a'] }, 'GET /api/v1/namespaces/a/pods', 'alice', [], true],
    ['another namespace', { ...base, namespaces: ['a'] }, 'GET /api/v1/namespaces/b/pods', 'alice', [], false],
    ['all namespaces with one allowed', { ...base, namespaces: ['a'] }, 'GET /api/v1/pods', 'alice', [], false],
    ['its name', { ...base, resourceNames: ['p'] }, 'GET /api/v1/namespaces/a/pods/p', 'alice', [], true],
    ['a list with one name allowed', { ...base, resourceNames: ['p'] }, 'GET /api/v1/namespaces/a/pods', 'alice', [], false],
    [
      'that list pinned to the name',
      { ...base, resourceNames: ['p'] },
      'GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name=p',
      'alice',
      [],
      true,
    ],
    ['a path', { users: ['alice'], verbs: ['get'], nonResourceURLs: ['/metrics'] }, 'GET /metrics', 'alice', [], true],
    ['below a path', { users: ['alice'], verbs: ['get'], nonResourceURLs: ['/openapi/*'] }, 'GET /openapi/v2', 'alice', [], true],
    ['another path', { users: ['alice'], verbs: ['get'], nonResourceURLs: ['/metrics'] }, 'GET /openapi/v2', 'alice', [], false],
  ]
  for (const [what, rule, request, name, groups, allowed] of cases)
    it(`${what}: ${allowed ? 'allowed' : 'no opinion'}`, async () => {
      const { decision } = await rulesAuthorizer([rule]).authorize({ name, groups }, info(request), signal)
      expect(decision).to.equal(allowed ? 'allow' : 'no opinion')
    })
})

describe('rulesFor', () => {
  const rules: AuthorizationRule[] = [
    base,
    { ...base, users: ['bob'] },
    { ...base, groups: ['dev'], users: [], namespaces: ['a'], resourceNames: ['x'] },
    { users: ['*'], verbs: ['get'], nonResourceURLs: ['/metrics'] },
  ]
  const { verbs, apiGroups, resources } = base
  const cases: [string, string[], string, object[]][] = [
    ['alice', [], 'a', [{ verbs, apiGroups, resources }]],
    ['carol', ['dev'], 'a', [{ verbs, apiGroups, resources, resourceNames: ['x'] }]],
    ['carol', ['dev'], 'b', []],
  ]
  for (const [name, groups, namespace, wanted] of cases)
    it(`returns the rules of ${name} in ${namespace}`, () => {
      const known = resultAtOnce(rulesAuthorizer(rules).rulesFor?.({ name, groups }, namespace))
      expect(known?.resourceRules).to.deep.equal(wanted)
      expect(known?.nonResourceRules).to.deep.equal([{ verbs: ['get'], nonResourceURLs: ['/metrics'] }])
    })
})

describe('parseRules', () => {
  it('accepts a complete rule', () => expect(parseRules({ rules: [base] })).to.deep.equal([base]))
  const bad: [string, unknown, string][] = [
    ['a file without rules', {}, 'rules: must be a list'],
    ['an unknown field', { rules: [{ ...base, verb: 'get' }] }, 'rules[0].verb: unknown field'],
    ['a rule without verbs', { rules: [{ users: ['a'], nonResourceURLs: ['*'] }] }, 'rules[0].verbs: required'],
    ['a rule without subjects', { rules: [{ verbs: ['get'], nonResourceURLs: ['*'] }] }, 'rules[0]: names no users and no groups'],
    [
      'a rule without resource groups and paths',
      { rules: [{ users: ['a'], verbs: ['get'], resources: ['pods'] }] },
      'rules[0]: names neither apiGroups and resources nor nonResourceURLs',
    ],
    ['verbs that are not strings', { rules: [{ ...base, verbs: [1] }] }, 'rules[0].verbs: must be a list of strings'],
  ]
  for (const [what, value, message] of bad) it(`rejects ${what}`, () => expect(() => parseRules(value)).to.throw(message))
})
