import { expect } from 'chai'
import { CONFIG_MAP_RULES, PolicyWorld } from '../../../support/policy-world.ts'
import { refusal } from '../../../support/test-registry.ts'

/** A policy that reports its params in the denial message. */
const TELL = {
  validations: [{ expression: 'false', messageExpression: "params == null ? 'none' : params.kind + ' ' + params.metadata.name" }],
}
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
    ['do not exist if the policy has no paramKind', undefined, { name: 'one', parameterNotFoundAction: 'Deny' }, 'none'],
    ['do not exist if the binding has no paramRef', CONFIG_MAP, undefined, 'none'],
    ['are found by name in the namespace of the request', CONFIG_MAP, { name: 'one', parameterNotFoundAction: 'Deny' }, 'ConfigMap one'],
    [
      'are not found by name in another namespace',
      CONFIG_MAP,
      { name: 'one', namespace: 'other', parameterNotFoundAction: 'Deny' },
      missing,
    ],
    ['reject the request if they are missing with Deny', CONFIG_MAP, { name: 'nope', parameterNotFoundAction: 'Deny' }, missing],
    ['allow the request if they are missing with Allow', CONFIG_MAP, { name: 'nope', parameterNotFoundAction: 'Allow' }, 'passed'],
    ['are found by label', CONFIG_MAP, { selector: { matchLabels: { p: 'yes' } }, parameterNotFoundAction: 'Deny' }, 'ConfigMap one'],
    [
      'are missing if no object has the label',
      CONFIG_MAP,
      { selector: { matchLabels: { p: 'no' } }, parameterNotFoundAction: 'Deny' },
      missing,
    ],
    ['may be cluster-scoped', NAMESPACE, { name: 'ns', parameterNotFoundAction: 'Deny' }, 'Namespace ns'],
    [
      'must not have a namespace if they are cluster-scoped',
      NAMESPACE,
      { name: 'ns', namespace: 'ns', parameterNotFoundAction: 'Deny' },
      'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    ],
    [
      'cannot be of a kind that is not stored',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' },
      { name: 'x', parameterNotFoundAction: 'Deny' },
      'failed to configure binding: paramKind kind `&ParamKind{APIVersion:authentication.k8s.io/v1,Kind:TokenReview,}` not yet synced to use for admission',
    ],
  ]
  for (const [what, kind, ref, text] of CASES) it(what, async () => expect(await told(kind, ref)).to.equal(text))

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
