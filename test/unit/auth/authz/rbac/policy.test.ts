import { expect } from 'chai'
import type { PolicyRule } from '../../../../../src/api/rbac/v1.types.ts'
import { missingRights, missingRules } from '../../../../../src/auth/authz/rbac/covers.ts'
import { coversPath, ruleAllows } from '../../../../../src/auth/authz/rbac/policy.ts'
import { parseRequestInfo } from '../../../../../src/server/filters/request-info.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const info = (request: string) => {
  const [method = '', path = ''] = request.split(' ')
  return parseRequestInfo(method, path, () => new URLSearchParams())
}
const rule = (verbs: string, apiGroups: string, resources: string, ...resourceNames: string[]): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: apiGroups.split(','),
  resources: resources.split(','),
  ...(resourceNames.length > 0 && { resourceNames }),
})
const urls = (verbs: string, ...nonResourceURLs: string[]): PolicyRule => ({ verbs: verbs.split(','), nonResourceURLs })

describe('ruleAllows', () => {
  const cases: [PolicyRule, string, boolean][] = [
    [rule('get', '', 'pods'), 'GET /api/v1/namespaces/a/pods/p', true],
    [rule('get', '', 'pods'), 'GET /api/v1/namespaces/a/pods', false],
    [rule('get', '', 'pods'), 'GET /api/v1/namespaces/a/pods/p/log', false],
    [rule('get', '', 'pods/log'), 'GET /api/v1/namespaces/a/pods/p/log', true],
    [rule('get', '', '*/log'), 'GET /api/v1/namespaces/a/pods/p/log', true],
    [rule('get', '', '*/log'), 'GET /api/v1/namespaces/a/pods/p', false],
    [rule('*', '*', '*'), 'DELETE /apis/x/v1/y/z/status', true],
    [rule('get', 'apps', 'pods'), 'GET /api/v1/namespaces/a/pods/p', false],
    [rule('get', '', 'pods', 'p'), 'GET /api/v1/namespaces/a/pods/p', true],
    [rule('get', '', 'pods', 'p'), 'GET /api/v1/namespaces/a/pods/q', false],
    [rule('create', '', 'pods', 'p'), 'POST /api/v1/namespaces/a/pods', false],
    [rule('*', '*', '*'), 'GET /metrics', false],
    [urls('get', '*'), 'GET /metrics', true],
    [urls('get', '*'), 'GET /api/v1/pods', false],
    [urls('get', '/apis/*'), 'GET /apis/apps', true],
    [urls('get', '/apis/*'), 'GET /apis', false],
    [urls('get', '/healthz'), 'POST /healthz', false],
  ]
  for (const [given, request, allowed] of cases)
    it(`${JSON.stringify(given)} ${allowed ? 'allows' : 'does not allow'} ${request}`, () =>
      expect(ruleAllows(given, info(request))).to.equal(allowed))
})

/** Rules that cover none of the wanted ones. */
const others = Array.from({ length: 50 }, (_, i) => rule('other', 'other', `other${i}`))

describe('missingRules', () => {
  const one = rule('get', '', 'pods')
  const cases: [string, PolicyRule[], PolicyRule[], PolicyRule[]][] = [
    ['nothing if the same rule is owned', [one], [one], []],
    ['a missing verb', [one], [rule('get,list', '', 'pods')], [rule('list', '', 'pods')]],
    ['nothing that a wildcard covers', [rule('*', '*', '*')], [rule('get', 'apps', 'deployments/scale')], []],
    ['nothing if a wildcard covers the subresource', [rule('get', '', '*/scale')], [rule('get', '', 'deployments/scale')], []],
    ['a rule that is owned only for a resource name', [rule('get', '', 'pods', 'p')], [one], [one]],
    ['nothing for a resource name if the rule is owned for all', [one], [rule('get', '', 'pods', 'p')], []],
    ['a missing path', [urls('get', '/api/*')], [urls('get', '/api/v1', '/apis')], [urls('get', '/apis')]],
    [
      'a combination of group and resource that no single rule has',
      [rule('get', '', 'pods'), rule('get', 'apps', 'x')],
      [rule('get', 'apps', 'pods')],
      [rule('get', 'apps', 'pods')],
    ],
  ]
  for (const [what, owned, wanted, missing] of cases) {
    it(`finds ${what}`, () => expect(missingRules(owned, wanted)).to.deep.equal(missing))
    it(`finds ${what}, among many other rules`, () => expect(missingRules([...others, ...owned], wanted)).to.deep.equal(missing))
  }

  it('compares each of many rules with few others', () => {
    const owned = Array.from({ length: 2000 }, (_, i) => rule('get', '', `r${i}`))
    const copies = Array.from({ length: 2000 }, () => rule('get', '', 'r1', 'a'))
    const wanted = Array.from({ length: 2000 }, (_, i) => rule('get,list', '', `r${i}`))
    const { result, yields } = countedSteps(missingRights([...owned, ...copies], wanted, Number.POSITIVE_INFINITY))
    expect(result.rules).to.deep.equal(wanted.map(({ resources }) => rule('list', '', String(resources))))
    expect(yields).to.be.lessThan(20_000)
  })

  it('does not search a long list linearly for each right', () => {
    const names = Array.from({ length: 1000 }, (_, i) => `name-${i}`)
    const unsearchable = Object.assign([...names], {
      includes(): never {
        throw new Error('the list is searched')
      },
    })
    const owned = { ...rule('get', '', 'pods'), resourceNames: unsearchable }
    expect(missingRules([owned], [{ ...owned, resourceNames: [...names, 'other'] }])).to.deep.equal([rule('get', '', 'pods', 'other')])
  })

  it('yields between paths, which are compared with all owned paths', () => {
    const owned = urls('get', ...Array.from({ length: 100 }, (_, i) => `/${i}/*`))
    const wanted = urls('get', ...Array.from({ length: 100 }, (_, i) => `/${i}/x`))
    expect([...missingRights([owned], [wanted], 1)]).to.have.length.at.least(100)
  })

  it('compares individual rights', () =>
    expect(missingRules([], [rule('get,list', '', 'pods', 'a', 'b')])).to.deep.equal([
      rule('get', '', 'pods', 'a'),
      rule('get', '', 'pods', 'b'),
      rule('list', '', 'pods', 'a'),
      rule('list', '', 'pods', 'b'),
    ]))
})

/** `VERBS GROUPS RESOURCES NAMES URLS`, with comma-separated lists, `-` for none, and semicolons between rules. */
function rulesIn(text: string): PolicyRule[] {
  const listOf = (list: string | undefined): string[] | undefined => (list === undefined || list === '-' ? undefined : list.split(','))
  if (text.trim() === '-') return []
  return text.split(';').map(one => {
    const [verbs, groups, resources, names, paths] = one.trim().split(' ')
    const [apiGroups, of, resourceNames, nonResourceURLs] = [groups, resources, names, paths].map(listOf)
    return {
      verbs: listOf(verbs) ?? [],
      ...(apiGroups && { apiGroups }),
      ...(of && { resources: of }),
      ...(resourceNames && { resourceNames }),
      ...(nonResourceURLs && { nonResourceURLs }),
    }
  })
}

/**
 * Owned, wanted and missing rules. Cases of policy_comparator_test.go in auth/rbac/validation of
 * k8s.io/component-helpers.
 */
const UPSTREAM = `
get v1 builds | get v1 builds | -
get v1 */scale | get v1 foo/scale | -
delete v1 deployments; delete v1 builds; update v1 builds,deployments | delete,update v1 builds,deployments | -
delete g1 deployments; delete g1 builds; update g1 builds,deployments; delete g2 deployments; delete g2 builds; update g2 builds,deployments | delete,update g1,g2 builds,deployments | -
delete,update g1,g2 builds,deployments | delete g1 deployments; delete g1 builds; update g1 builds,deployments; delete g2 deployments; delete g2 builds; update g2 builds,deployments | -
delete,update v1 builds,deployments; delete v1 pods | delete,update v1 builds,deployments,pods | update v1 pods
get * roles | get group1,group2 roles | -
get dummy-group roles | get * roles | get * roles
get * roles | get * roles | -
* v1 roles | watch,list v1 roles | -
get,list,watch,create,update,delete,exec v1 roles | * v1 roles | * v1 roles
* v1 roles | * v1 roles | -
get v1 * | get v1 resourcegroup:deployments | -
get v1 roles,resourcegroup:deployments | get v1 * | get v1 *
get v1 * | get v1 * | -
get v1 pods | get v1 pods foo,bar | -
get v1 pods foo,bar | get v1 pods | get v1 pods
* - - - /apis | * - - - /apis | -
* - - - * | * - - - /apis,/apis/v1,/ | -
* - - - /apis/* | get - - - /apis,/apis/v1 | get - - - /apis
* - - - /apis/* | get - - - /apis/v1/foo,/apis/v1 | -
get v1 builds - /apis | get v1 builds - /apis | -
get v1 builds | get v1 builds - /apis | get - - - /apis
`

describe("missingRules, upstream's test cases", () => {
  for (const line of UPSTREAM.trim().split('\n'))
    it(line, () => {
      const [owned = '', wanted = '', missing = ''] = line.split(' | ')
      expect(missingRules(rulesIn(owned), rulesIn(wanted))).to.deep.equal(rulesIn(missing))
      expect(missingRules([...others, ...rulesIn(owned)], rulesIn(wanted))).to.deep.equal(rulesIn(missing))
    })
})

describe("coversPath, upstream's test cases", () => {
  const cases: [string, string, boolean][] = [
    ['*', '', true],
    ['*', '/', true],
    ['*', '/api', true],
    ['/*', '', false],
    ['/*', '/', true],
    ['/*', '/foo', true],
    ['/api', '/api', true],
    ['/apis', '/api', false],
    ['/api/v1', '/api', false],
    ['/api/v1', '/api/v1', true],
    ['/api/*', '/api/v1', true],
    ['/api/*', '/api', false],
    ['/api/*/*', '/api/v1', false],
    ['/*/v1/*', '/api/v1', false],
  ]
  for (const [owned, path, covered] of cases)
    it(`${owned} and ${path}: ${covered}`, () => expect(coversPath(owned, path)).to.equal(covered))
})
