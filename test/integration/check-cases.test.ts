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
})
