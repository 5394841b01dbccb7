import { expect } from 'chai'
import { CONFIG_MAP_RULES, PolicyWorld } from '../../../support/policy-world.ts'
import { refusal } from '../../../support/test-registry.ts'

/** A policy that reports its params in the denial message. */
const TELL = { validations: [{ expression: 'false', messageExpression: "params == null ? 'none' : params.kind + ' ' + params.metadata.name" }] }
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' }
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace' }
const rules = (resource: string) => ({ matchConstraints: { resourceRules: [{ ...CONFIG_MAP_RULES[0], resources: [resource] }] } })

async function told(paramKind: object | undefined, paramRef: object | undefined, failurePolicy = 'Fail'): Promise<string> {
  const world = new PolicyWorld()
  await world.configMap('one', { metadata: { labels: { p: 'yes' } } })
  await world.configMap('two', { metadata: { labels: { p: 'yes' } } })
  await world.policy(
    'p',
    { failurePolicy, ...(paramKind ? { ...TELL, paramKind } : { validations: [{ expression: 'false', message: 'none' }] }) },
    paramRef && { paramRef },
  )
  const made = world.configMap('a')
  return made.then(
    () => 'passed',
    async () => (await refusal(made)).message.replace(/^.* denied request: /, ''),
  )
}

describe('params of policies', () => {
  const missing = 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'
  const CASES: [what: string, kind: object | undefined, ref: object | undefined, told: string][] = [
    ['that a policy does not have', undefined, { name: 'one', parameterNotFoundAction: 'Deny' }, 'none'],
    ['that a binding does not name', CONFIG_MAP, undefined, 'none'],
    ['of a name, in the namespace of the request', CONFIG_MAP, { name: 'one', parameterNotFoundAction: 'Deny' }, 'ConfigMap one'],
    ['of a name, in another namespace', CONFIG_MAP, { name: 'one', namespace: 'other', parameterNotFoundAction: 'Deny' }, missing],
    ['that are not there, which is refused', CONFIG_MAP, { name: 'nope', parameterNotFoundAction: 'Deny' }, missing],
    ['that are not there, which is allowed', CONFIG_MAP, { name: 'nope', parameterNotFoundAction: 'Allow' }, 'passed'],
    ['of a label', CONFIG_MAP, { selector: { matchLabels: { p: 'yes' } }, parameterNotFoundAction: 'Deny' }, 'ConfigMap one'],
    ['of a label that nothing has', CONFIG_MAP, { selector: { matchLabels: { p: 'no' } }, parameterNotFoundAction: 'Deny' }, missing],
    ['of the cluster', NAMESPACE, { name: 'ns', parameterNotFoundAction: 'Deny' }, 'Namespace ns'],
    [
      'of the cluster, for which there is no namespace to name',
      NAMESPACE,
      { name: 'ns', namespace: 'ns', parameterNotFoundAction: 'Deny' },
      'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    ],
    [
      'that are kept nowhere',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' },
      { name: 'x', parameterNotFoundAction: 'Deny' },
      'failed to configure binding: paramKind kind `&ParamKind{APIVersion:authentication.k8s.io/v1,Kind:TokenReview,}` not yet synced to use for admission',
    ],
  ]
  for (const [what, kind, ref, text] of CASES) it(`are those ${what}`, async () => expect(await told(kind, ref)).to.equal(text))

  it('may be missing if failurePolicy is Ignore', async () =>
    expect(await told(CONFIG_MAP, { name: 'nope', parameterNotFoundAction: 'Deny' }, 'Ignore')).to.equal('passed'))
  it('are selected by label', async () => {
    const world = new PolicyWorld()
    await world.configMap('one', { metadata: { labels: { p: 'yes' } } })
    await world.configMap('two', { metadata: { labels: { p: 'yes' } } })
    const ref = { selector: { matchLabels: { p: 'yes' } }, parameterNotFoundAction: 'Deny' }
    await world.policy('p', { ...TELL, paramKind: CONFIG_MAP }, { paramRef: ref, validationActions: ['Warn'] })
    await world.configMap('a')
    expect(world.t.warnings.map(text => text.replace(/^.*: /, ''))).to.deep.equal(['ConfigMap one', 'ConfigMap two'])
  })
  it('cannot be namespaced for cluster-scoped objects', async () => {
    const world = new PolicyWorld()
    const ref = { name: 'one', parameterNotFoundAction: 'Deny' }
    await world.policy('p', { ...TELL, paramKind: CONFIG_MAP, ...rules('nodes') }, { paramRef: ref })
    const node = world.t.access().create({ group: '', resource: 'nodes' }, '', { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } })
    expect((await refusal(node)).message).to.match(
      /failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources$/,
    )
  })
})
