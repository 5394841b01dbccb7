import { expect } from 'chai'
import { abacAuthorizer, parsePolicies } from '../../../../src/auth/authz/abac.ts'
import { nonResourceAttributes, resourceAttributes } from '../../../../src/meta/request-attributes.ts'

const signal = new AbortController().signal
const GROUP = 'abac.authorization.kubernetes.io'
const beta = (...specs: object[]) => specs.map(spec => JSON.stringify({ apiVersion: `${GROUP}/v1beta1`, kind: 'Policy', spec })).join('\n')
const read = (text: string) => parsePolicies(text, 'policy.jsonl')

/**
 * Decision, user, verb, `GROUP/NAMESPACE/RESOURCE` and path: cases of TestAuthorizeV0 and TestAuthorizeV1beta1 in
 * k8s.io/kubernetes, pkg/auth/authorizer/abac.
 */
const OLD = `
allow scheduler list /ns1/pods
allow scheduler list //pods
no scheduler create /ns1/pods
no scheduler create //pods
allow scheduler get /ns1/bindings
allow scheduler get //bindings
allow alice get /projectCaribou/pods
allow alice get /projectCaribou/widgets
allow alice get /projectCaribou/
allow alice update /projectCaribou/pods
allow alice update /projectCaribou/widgets
allow alice update /projectCaribou/
allow alice update bar/projectCaribou/foo
no alice get /ns1/pods
no alice get /ns1/widgets
no alice get /ns1/
allow chuck get /ns1/events
allow chuck get //events
no chuck update /ns1/events
no chuck get /ns1/pods
no chuck get /ns1/floop
no chuck get // /
`
const BETA = `
allow scheduler list /ns1/pods
allow scheduler list //pods
no scheduler create /ns1/pods
no scheduler create //pods
allow scheduler get /ns1/bindings
allow scheduler get //bindings
allow alice get /projectCaribou/pods
allow alice get /projectCaribou/widgets
allow alice get /projectCaribou/
allow alice update /projectCaribou/pods
allow alice update /projectCaribou/widgets
allow alice update /projectCaribou/
no alice get /ns1/pods
no alice get /ns1/widgets
no alice get /ns1/
allow debbie update /projectCaribou/pods
allow chuck get /ns1/events
allow chuck get //events
no chuck update /ns1/events
no chuck get /ns1/pods
no chuck get /ns1/floop
no chuck get // /
allow chuck get // /api
no chuck create // /api
allow chuck update // /custom
no chuck get // /root
allow chuck get // /root/
allow chuck get // /root/test/1/2/3
allow noresource get //
allow noresource get // /
allow noresource get // /foo/bar/baz
no noresource get /bar/ /
no noresource get /bar/foo /foo/bar/baz
allow apigroupuser get x/projectAnyGroup/foo
no apigroupuser get x/projectEmptyGroup/foo
allow apigroupuser get x/projectXGroup/foo
`

const OLD_POLICIES = `
{                    "readonly": true, "resource": "events"   }
{"user":"scheduler", "readonly": true, "resource": "pods"     }
{"user":"scheduler",                   "resource": "bindings" }
{"user":"alice", "namespace": "projectCaribou"}
{"user":"bob",       "readonly": true, "namespace": "projectCaribou"}
`
const BETA_POLICIES = `
  # A comment, after a blank line.
${beta(
  { user: '*', readonly: true, nonResourcePath: '/api' },
  { user: '*', nonResourcePath: '/custom' },
  { user: '*', nonResourcePath: '/root/*' },
  { user: 'noresource', nonResourcePath: '*' },
  { user: '*', readonly: true, resource: 'events', namespace: '*' },
  { user: 'scheduler', readonly: true, resource: 'pods', namespace: '*' },
  { user: 'scheduler', resource: 'bindings', namespace: '*' },
  { user: 'alice', resource: '*', namespace: 'projectCaribou' },
  { user: 'debbie', resource: 'pods', namespace: 'projectCaribou' },
  { user: 'apigroupuser', resource: '*', namespace: 'projectAnyGroup', apiGroup: '*' },
  { user: 'apigroupuser', resource: '*', namespace: 'projectEmptyGroup', apiGroup: '' },
  { user: 'apigroupuser', resource: '*', namespace: 'projectXGroup', apiGroup: 'x' },
)}`

describe('ABAC', () => {
  for (const [what, policies, table] of [
    ['without versions', OLD_POLICIES, OLD],
    ['v1beta1', BETA_POLICIES, BETA],
  ] as const)
    describe(`policies ${what}`, () => {
      const authorizer = abacAuthorizer(read(policies))
      for (const line of table.trim().split('\n'))
        it(line, async () => {
          const [wanted, name = '', verb = '', about = '', path = ''] = line.split(' ')
          const [group = '', namespace = '', resource = ''] = about.split('/')
          const asked =
            namespace === '' && resource === ''
              ? nonResourceAttributes(verb, path)
              : resourceAttributes({ verb, group, namespace, resource, path })
          const { rule, ...decision } = await authorizer.authorize({ name, groups: ['system:authenticated'] }, asked, signal)
          if (wanted === 'allow') expect(policies.split('\n')[(rule ?? 0) - 1]).to.match(new RegExp(`"${name}"|"\\*"|^(?!.*"user")`))
          expect(decision).to.deep.equal(
            wanted === 'allow' ? { decision: 'allow', reason: '', by: 'ABAC' } : { decision: 'no opinion', reason: 'No policy matched.' },
          )
        })
    })

  it('requires both user and group to match if both are given', async () => {
    const may = async (spec: object, groups: string[]) =>
      (
        await abacAuthorizer(read(beta({ resource: '*', namespace: '*', ...spec }))).authorize(
          { name: 'foo', groups },
          resourceAttributes({ verb: 'get', resource: 'pods' }),
          signal,
        )
      ).decision === 'allow'
    expect(await may({}, ['a'])).to.equal(false)
    expect(await may({ user: 'foo' }, [])).to.equal(true)
    expect(await may({ user: 'foo', group: 'a' }, ['b'])).to.equal(false)
    expect(await may({ user: 'foo', group: 'a' }, ['b', 'a'])).to.equal(true)
    expect(await may({ user: 'bar', group: 'a' }, ['a'])).to.equal(false)
    // Authenticated users only.
    expect(await may({ group: '*' }, ['system:unauthenticated'])).to.equal(false)
    expect(await may({ group: '*' }, ['system:authenticated'])).to.equal(true)
  })

  it('lists its rules', () => {
    const authorizer = abacAuthorizer(
      read(
        `${beta({ user: 'u', resource: 'pods', namespace: 'ns', readonly: true }, { user: 'u', namespace: '*', nonResourcePath: '/x' })}\n{"user":"u"}`,
      ),
    )
    expect(authorizer.rulesFor?.({ name: 'u', groups: [] }, 'ns')).to.deep.equal({
      resourceRules: [
        { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      ],
      nonResourceRules: [
        { verbs: ['*'], nonResourceURLs: ['/x'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ],
      incomplete: false,
      errors: [],
    })
    expect(authorizer.rulesFor?.({ name: 'other', groups: [] }, 'ns')).to.deep.include({ resourceRules: [], nonResourceRules: [] })
  })

  it('reports an invalid line, and the number of lines without version', () => {
    const faults: [string, string][] = [
      ['# a\n{"user":', `error reading policy file policy.jsonl, line 2: {"user":: couldn't get version/kind; json parse error: `],
      ['{"user":1}', 'line 1: {"user":1}: json: cannot unmarshal number into Go struct field Policy.user of type string'],
      [beta({ readonly: 'yes' }), 'json: cannot unmarshal string into Go struct field PolicySpec.spec.readonly of type bool'],
      [`{"apiVersion":"${GROUP}/v9","kind":"Policy"}`, `no kind "Policy" is registered for version "${GROUP}/v9"`],
      ['x'.repeat(70_000), 'error reading policy file policy.jsonl: bufio.Scanner: token too long'],
    ]
    for (const [text, why] of faults) expect(() => read(text)).to.throw(why)
    const counted: number[] = []
    expect(parsePolicies(`{}\n\n{"user":"a"}\n${beta({ user: 'b' })}`, 'f', lines => counted.push(lines))).to.have.length(3)
    expect(counted).to.deep.equal([2])
  })
})
