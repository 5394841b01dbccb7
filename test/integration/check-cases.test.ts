import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { check } from '../../src/check/check.ts'
import type { CaseResult } from '../../src/check/types.ts'

const REPLICAS = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]
  validations:
  - expression: object.spec.replicas <= int(params.data.max)
    messageExpression: "'at most ' + params.data.max + ' replicas'"
  - expression: oldObject == null || object.spec.replicas >= oldObject.spec.replicas || request.userInfo.username == 'jane'
    message: only jane scales down
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: replicas}
spec:
  policyName: replicas
  validationActions: [Deny]
  paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: team}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"team": "a"}}}'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: team}
spec: {policyName: team}
`

const deployment = (replicas: number): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: ${replicas}, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: b}]}}}}`

const CASES = `apiVersion: binnacle.dev/v1
kind: PolicyTest
given:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: limits, namespace: default}, data: {max: '5'}}
cases:
- name: few
  object: ${deployment(3)}
  expect: {allowed: true, mutated: {metadata: {labels: {team: a}}}}
- name: many
  object: ${deployment(7)}
  expect: {allowed: false, message: at most 5 replicas, policy: replicas}
- name: scaled down
  object: ${deployment(1)}
  oldObject: ${deployment(2)}
  expect: {allowed: false, message: only jane}
- name: scaled down by jane
  object: ${deployment(1)}
  oldObject: ${deployment(2)}
  user: jane
  expect: {allowed: true}
- name: wrong expectation
  object: ${deployment(7)}
  expect: {allowed: true}
- name: wrong mutation
  object: ${deployment(3)}
  expect: {allowed: true, mutated: {metadata: {labels: {team: b}}}}
- name: invalid
  object: ${deployment(-1)}
  expect: {allowed: false}
`

const PRIVILEGED = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: unprivileged}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations:
  - expression: object.spec.containers.all(c, !c.?securityContext.?privileged.orValue(false))
    message: no privileged containers
`

const pod = (name: string, privileged: boolean): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  containers: [{name: a, image: b, securityContext: {privileged: ${privileged}}}]\n`

describe('binnacle check of policies', () => {
  let folder = ''
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'check-cases-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  const results = async (policies: string[], cases: string[]): Promise<readonly CaseResult[]> =>
    (await check({ policies, cases, release: '1.36' })).cases
  const summary = ({ name, passed, message, skipped }: CaseResult): string =>
    `${skipped === undefined ? (passed ? 'pass' : 'fail') : 'skip'} ${name}${message === undefined ? '' : `: ${message}`}`

  it('compares responses with what cases expect', async () => {
    const found = (await results([write('policies/replicas.yaml', REPLICAS)], [write('cases.yaml', CASES)])).map(summary)
    expect(found.slice(0, 4)).to.deep.equal(['pass few', 'pass many', 'pass scaled down', 'pass scaled down by jane'])
    expect(found[4]).to.match(/^fail wrong expectation: expected to be allowed, and denied: .*at most 5 replicas/)
    expect(found[5]).to.equal('fail wrong mutation: metadata.labels.team differs from what is expected')
    expect(found[6]).to.match(/^fail invalid: the server refuses the object: .*must be greater than or equal to 0/)
  })

  it('names mistakes in files of cases', async () => {
    const file = write('broken.yaml', CASES.replace('message: only jane', 'mesage: only jane'))
    const error = await results([], [file]).catch((thrown: unknown) => thrown)
    expect(error).to.have.property(
      'message',
      `${file}: cases[2].expect.mesage: unknown field; known are allowed, message, warnings, mutated, policy`,
    )
  })

  it('runs tests of kyverno as far as they test admission policies', async () => {
    write('kyverno/policy.yaml', PRIVILEGED)
    write('kyverno/pods.yaml', `${pod('good', false)}---\n${pod('bad', true)}---\n${pod('wrong', true)}`)
    write('kyverno/cluster-policy.yaml', 'apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: other}\nspec: {}\n')
    write(
      'kyverno/kyverno-test.yaml',
      `apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: unprivileged}
policies: [policy.yaml, cluster-policy.yaml]
resources: [pods.yaml]
results:
- {policy: unprivileged, isValidatingAdmissionPolicy: true, resources: [good, wrong], kind: Pod, result: pass}
- {policy: unprivileged, isValidatingAdmissionPolicy: true, resources: [default/bad], kind: Pod, result: fail}
- {policy: other, rule: x, resources: [good], kind: Pod, result: pass}
`,
    )
    const found = (await results([], [join(folder, 'kyverno')])).map(summary)
    expect(found[0]).to.equal('pass unprivileged: Pod good: pass')
    expect(found[1]).to.match(/^fail unprivileged: Pod wrong: pass: expected to be allowed, and denied: .*no privileged containers/)
    expect(found.slice(2)).to.deep.equal(['pass unprivileged: Pod bad: fail', 'skip other: pass'])
  })

  it('takes parameters, users and labels of namespaces from the files of a test of kyverno', async () => {
    write(
      'params/policy.yaml',
      `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limited}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    namespaceSelector: {matchLabels: {environment: staging}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations:
  - expression: size(object.spec.containers) <= int(params.data.most) && 'developers' in request.userInfo.groups
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limited}
spec: {policyName: limited, validationActions: [Warn], paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}}
`,
    )
    const inNamespace = (name: string, namespace: string, containers: string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec:\n  containers: [${containers}]\n`
    const two = '{name: a, image: b}, {name: c, image: d}'
    write(
      'params/pods.yaml',
      `${inNamespace('one', 'staging', '{name: a, image: b}')}---\n${inNamespace('two', 'staging', two)}---\n${inNamespace('elsewhere', 'default', two)}`,
    )
    write('params/cm.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits}\ndata: {most: "1"}\n')
    write('params/user.yaml', 'apiVersion: cli.kyverno.io/v1alpha1\nkind: UserInfo\nuserInfo: {username: jane, groups: [developers]}\n')
    write(
      'params/values.yaml',
      'apiVersion: cli.kyverno.io/v1alpha1\nkind: Value\nnamespaceSelector: [{name: staging, labels: {environment: staging}}]\n',
    )
    write(
      'params/kyverno-test.yaml',
      `apiVersion: cli.kyverno.io/v1alpha1
kind: Test
policies: [policy.yaml]
resources: [pods.yaml]
paramResources: [cm.yaml]
userinfo: user.yaml
variables: values.yaml
results:
- {policy: limited, resources: [one], kind: Pod, result: pass}
- {policy: limited, resources: [two], kind: Pod, result: fail}
- {policy: limited, resources: [elsewhere], kind: Pod, result: skip}
`,
    )
    expect((await results([], [join(folder, 'params')])).map(summary)).to.deep.equal([
      'pass limited: Pod one: pass',
      'pass limited: Pod two: fail',
      'pass limited: Pod elsewhere: skip',
    ])
  })

  it('runs suites of gator whose templates are written in CEL', async () => {
    const template = (engine: string, source: string): string => `apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: requiredlabels}
spec:
  crd: {spec: {names: {kind: RequiredLabels}}}
  targets:
  - target: admission.k8s.gatekeeper.sh
    code:
    - engine: ${engine}
      source: ${source}
`
    write(
      'gator/cel.yaml',
      template(
        'K8sNativeValidation',
        `{validations: [{expression: "variables.params.labels.all(l, l in variables.anyObject.metadata.?labels.orValue({}))", message: "labels are missing"}]}`,
      ),
    )
    write('gator/rego.yaml', template('Rego', '{rego: "package x"}'))
    write(
      'gator/constraint.yaml',
      'apiVersion: constraints.gatekeeper.sh/v1beta1\nkind: RequiredLabels\nmetadata: {name: a}\nspec: {match: {kinds: [{apiGroups: [""], kinds: [Pod]}]}, parameters: {labels: [owner]}}\n',
    )
    write('gator/good.yaml', pod('good', false).replace('name: good', 'name: good, labels: {owner: a}'))
    write('gator/bad.yaml', pod('bad', false))
    write(
      'gator/suite.yaml',
      `kind: Suite
apiVersion: test.gatekeeper.sh/v1alpha1
tests:
- name: cel
  template: cel.yaml
  constraint: constraint.yaml
  cases:
  - {name: labelled, object: good.yaml, assertions: [{violations: no}]}
  - {name: unlabelled, object: bad.yaml, assertions: [{violations: yes, message: labels are missing}]}
- name: rego
  template: rego.yaml
  constraint: constraint.yaml
  cases:
  - {name: a, object: good.yaml, assertions: [{violations: no}]}
`,
    )
    expect((await results([], [join(folder, 'gator', 'suite.yaml')])).map(summary)).to.deep.equal([
      'pass cel: labelled',
      'pass cel: unlabelled',
      'skip rego',
    ])
  })

  it('takes parameters of several types, requests, and patterns of messages from suites of gator', async () => {
    write(
      'gator-requests/template.yaml',
      `apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: ports}
spec:
  targets:
  - target: admission.k8s.gatekeeper.sh
    code:
    - engine: K8sNativeValidation
      source:
        variables:
        - {name: isUpdate, expression: has(request.operation) && request.operation == "UPDATE"}
        validations:
        - expression: variables.isUpdate || object.spec.containers.all(c, !(c.name in variables.params.names))
          messageExpression: '"name of " + object.metadata.name + ", most " + string(variables.params.most)'
        - expression: variables.isUpdate || size(object.spec.containers) < variables.params.most
          message: too many containers
`,
    )
    write(
      'gator-requests/constraint.yaml',
      `apiVersion: constraints.gatekeeper.sh/v1beta1
kind: Ports
metadata: {name: a}
spec:
  match: {kinds: [{apiGroups: [""], kinds: [Pod]}], excludedNamespaces: [kube-*]}
  parameters: {names: [a], most: 1, strict: true, none: []}
`,
    )
    const bad = pod('bad', false)
    const review = (operation: string): string =>
      `apiVersion: admission.k8s.io/v1beta1\nkind: AdmissionReview\nrequest:\n  operation: ${operation}\n  object:\n${bad.replaceAll(/^/gm, '    ')}`
    write('gator-requests/bad.yaml', bad)
    write('gator-requests/excluded.yaml', bad.replace('name: bad', 'name: bad, namespace: kube-system'))
    write('gator-requests/update.yaml', review('UPDATE'))
    write('gator-requests/connect.yaml', review('CONNECT'))
    write(
      'gator-requests/suite.yaml',
      `kind: Suite
apiVersion: test.gatekeeper.sh/v1alpha1
tests:
- name: t
  template: template.yaml
  constraint: constraint.yaml
  cases:
  - {name: both, object: bad.yaml, assertions: [{message: "^name of b.d, most 1$"}, {violations: 1, message: too many}, {violations: 2}]}
  - {name: other message, object: bad.yaml, assertions: [{violations: no, message: privileged}]}
  - {name: wrong message, object: bad.yaml, assertions: [{violations: yes, message: "^of bad"}]}
  - {name: wrong number, object: bad.yaml, assertions: [{violations: 1}]}
  - {name: excluded, object: excluded.yaml}
  - {name: update, object: update.yaml, assertions: [{violations: no}]}
  - {name: connect, object: connect.yaml, assertions: [{violations: no}]}
- {name: invalid, template: template.yaml, constraint: constraint.yaml, invalid: true}
`,
    )
    expect((await results([], [join(folder, 'gator-requests', 'suite.yaml')])).map(summary)).to.deep.equal([
      'pass t: both',
      'pass t: other message',
      'fail t: wrong message: 0 violations match an assertion that expects at least 1: name of bad, most 1; too many containers',
      'fail t: wrong number: 2 violations match an assertion that expects 1: name of bad, most 1; too many containers',
      'pass t: excluded',
      'pass t: update',
      'skip t: connect',
      'skip invalid',
    ])
  })

  it('names a regular expression of a suite of gator that is not valid', async () => {
    const file = write(
      'gator-requests/pattern.yaml',
      'kind: Suite\napiVersion: test.gatekeeper.sh/v1alpha1\ntests:\n- {name: t, template: template.yaml, cases: [{name: c, object: bad.yaml, assertions: [{message: "a("}]}]}\n',
    )
    const error = await results([], [file]).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('message', `${file}: t: c: message: error parsing regexp: missing closing ): \`a(\``)
  })

  it('reads policies of a test in a version that the release serves, and creates namespaces that it tests', async () => {
    write(
      'versions/policy.yaml',
      `apiVersion: admissionregistration.k8s.io/v1alpha1
kind: MutatingAdmissionPolicy
metadata: {name: label}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [namespaces]}]
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"team": "a"}}}'}
`,
    )
    write('versions/namespace.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n')
    write('versions/patched.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: a}}\n')
    write('versions/limits.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits}\ndata: {most: 1}\n')
    const test = (more: string): string => `apiVersion: cli.kyverno.io/v1alpha1
kind: Test
policies: [policy.yaml]
resources: [namespace.yaml]
${more}results:
- {policy: label, isMutatingAdmissionPolicy: true, resources: [shop], kind: Namespace, patchedResources: patched.yaml, result: pass}
`
    const served = await results([], [write('versions/served.yaml', test(''))])
    const refused = await results([], [write('versions/refused.yaml', test('paramResources: [limits.yaml]\n'))])
    expect([...served, ...refused].map(summary)).to.deep.equal([
      'pass label: Namespace shop: pass',
      'fail ConfigMap limits: ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ])
  })

  it('does not read the files of a test of kyverno that tests none of the admission policies', async () => {
    write('others/policy.yaml', 'apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: other}\nspec: {}\n')
    const file = write(
      'others/kyverno-test.yaml',
      'apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\npolicies: [policy.yaml]\nresources: [missing.yaml]\nresults:\n- {policy: other, resources: [a], result: pass}\n',
    )
    expect((await results([], [file])).map(summary)).to.deep.equal(['skip other: pass'])
  })
})
