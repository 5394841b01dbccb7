import { expect } from 'chai'
import { NAMESPACES } from '../../../support/builtin-registry.ts'
import { BINDINGS, CONFIG_MAP_RULES, POLICIES, PolicyWorld } from '../../../support/policy-world.ts'
import { refusal, refusalText } from '../../../support/test-registry.ts'
import { turns } from '../../../support/waiting.ts'

const by = (text: string, name = 'a', policy = 'p'): string =>
  `configmaps "${name}" is forbidden: ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${text}`

async function world(spec: object, binding: object = {}): Promise<PolicyWorld> {
  const made = new PolicyWorld()
  await made.policy('p', spec, binding)
  return made
}

const REFUSE = { validations: [{ expression: 'false', message: 'no' }] }

describe('ValidatingAdmissionPolicy', () => {
  it('rejects with its own Status', async () => {
    const { status } = await refusal((await world({ validations: [{ expression: ' object.metadata.name == "b" ' }] })).configMap('a'))
    const message = by('failed expression: object.metadata.name == "b"')
    expect(status).to.deep.include({ code: 422, reason: 'Invalid', message })
    expect(status.details).to.deep.equal({ name: 'a', kind: 'configmaps', causes: [{ message: message.replace(/^.* forbidden: /, '') }] })
  })
  it('admits requests without violations', async () =>
    expect((await (await world({ validations: [{ expression: 'object.metadata.name == "a"' }] })).configMap('a')).metadata.name).to.equal(
      'a',
    ))

  const REASONS: [reason: string | undefined, code: number][] = [
    [undefined, 422],
    ['Invalid', 422],
    ['Forbidden', 403],
    ['RequestEntityTooLarge', 413],
  ]
  for (const [reason, code] of REASONS)
    it(`rejects with code ${code} for reason ${reason ?? 'unset'}`, async () => {
      const made = await world({ validations: [{ expression: 'false', message: 'no', ...(reason && { reason }) }] })
      expect(await refusalText(made.configMap('a'))).to.equal(`${code} ${reason ?? 'Invalid'}: ${by('no')}`)
    })

  const MESSAGES: [what: string, validation: object, message: string][] = [
    ['the message', { message: ' no ' }, 'no'],
    ['the value of messageExpression', { message: 'no', messageExpression: "' not ' + object.metadata.name + ' '" }, 'not a'],
    ['the message if messageExpression fails', { message: 'no', messageExpression: "'x' + object.nope" }, 'no'],
    ['the message if messageExpression is blank', { message: 'no', messageExpression: "'  '" }, 'no'],
    ['the message if messageExpression has two lines', { message: 'no', messageExpression: "'a\\nb'" }, 'no'],
    ['the message if messageExpression is too long', { message: 'no', messageExpression: `'${'é'.repeat(2561)}'` }, 'no'],
    ['a messageExpression of the maximum length', { messageExpression: `'${'é'.repeat(2560)}'` }, 'é'.repeat(2560)],
    [
      'the failed expression if messageExpression fails and no message is set',
      { messageExpression: "'x' + object.nope" },
      'failed expression: false',
    ],
  ]
  for (const [what, validation, message] of MESSAGES)
    it(`reports ${what}`, async () => {
      const made = await world({ validations: [{ expression: 'false', ...validation }] })
      expect(await refusalText(made.configMap('a'))).to.equal(`422 Invalid: ${by(message)}`)
    })

  it('reports the first violation of a policy, and the first policy by name', async () => {
    const made = await world({
      validations: [{ expression: 'true' }, { expression: 'false', message: 'second', reason: 'Forbidden' }, REFUSE.validations[0]],
    })
    await made.policy('o', { validations: [{ expression: 'false', message: 'first' }] })
    expect(await refusalText(made.configMap('a'))).to.equal(`422 Invalid: ${by('first', 'a', 'o')}`)
    made.index.removePolicy('o')
    expect(await refusalText(made.configMap('a'))).to.equal(`403 Forbidden: ${by('second')}`)
    made.index.removeBinding('p')
    await made.configMap('a')
  })

  const FAILURES: [what: string, spec: object, text: string][] = [
    [
      'a validation',
      { validations: [{ expression: 'object.nope == 1' }] },
      by("expression 'object.nope == 1' resulted in error: no such key: nope"),
    ],
    [
      'a match condition',
      { ...REFUSE, matchConditions: [{ name: 'c', expression: 'object.nope == 1' }] },
      by("expression 'object.nope == 1' resulted in error: no such key: nope"),
    ],
    [
      'an annotation',
      { auditAnnotations: [{ key: 'k', valueExpression: "'x' + object.nope" }] },
      by("expression ''x' + object.nope' resulted in error: no such key: nope"),
    ],
    [
      'a missing kind of parameters',
      { ...REFUSE, paramKind: { apiVersion: 'v1', kind: 'Nope' } },
      `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Nope'`,
    ],
  ]
  for (const [what, spec, text] of FAILURES) {
    it(`rejects if ${what} fails`, async () =>
      expect(await refusalText((await world(spec)).configMap('a'))).to.equal(`422 Invalid: ${text}`))
    it(`admits if ${what} fails and failurePolicy is Ignore`, async () => {
      await (await world({ ...spec, failurePolicy: 'Ignore' })).configMap('a')
    })
  }
  it('rejects violations even with failurePolicy Ignore', async () =>
    expect(await refusalText((await world({ ...REFUSE, failurePolicy: 'Ignore' })).configMap('a'))).to.equal(`422 Invalid: ${by('no')}`))
  it('skips requests that do not meet the match conditions', async () => {
    const made = await world({ ...REFUSE, matchConditions: [{ name: 'c', expression: 'object.metadata.name == "b"' }] })
    await made.configMap('a')
    expect(await refusalText(made.configMap('b'))).to.equal(`422 Invalid: ${by('no', 'b')}`)
  })
  it('charges validations and messages to one budget, and reports when it is exhausted', async () => {
    const ten = '[1,2,3,4,5,6,7,8,9,10]'
    const heavy = [1, 2, 3, 4, 5].reduceRight((body, i) => `${ten}.all(v${i}, ${body})`, 'true')
    const many = (count: number, last: object[] = []) => ({
      validations: [...Array.from({ length: count }, () => ({ expression: heavy })), ...last],
    })
    const spent = 'validation failed due to running out of cost budget, no further validation rules will be run'
    await (await world(many(29))).configMap('a')
    expect(await refusalText((await world(many(30))).configMap('a'))).to.equal(`422 Invalid: ${by(spent)}`)
    const message = { expression: 'false', message: 'no', messageExpression: `${heavy} ? 'a' : 'b'` }
    expect(await refusalText((await world(many(28, [message]))).configMap('a'))).to.equal(`422 Invalid: ${by('a')}`)
    expect(await refusalText((await world(many(29, [message]))).configMap('a'))).to.equal(
      `422 Invalid: ${by(`failed messageExpression: ${spent}`)}`,
    )
  })

  describe('validation actions', () => {
    it('Warn sends a warning', async () => {
      const made = await world(REFUSE, { validationActions: ['Warn', 'Audit'] })
      await made.configMap('a')
      expect(made.t.warnings).to.deep.equal(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': no"])
    })
    it('Audit is invisible to the client', async () => {
      const made = await world(REFUSE, { validationActions: ['Audit'] })
      await made.configMap('a')
      expect(made.t.warnings).to.deep.equal([])
    })
    it('are counted in metrics', async () => {
      const made = await world(
        { validations: [{ expression: 'false', message: 'no' }, { expression: 'object.nope == 1' }] },
        { validationActions: ['Warn', 'Audit'] },
      )
      await made.configMap('a')
      await made.policy('i', { failurePolicy: 'Ignore', validations: [{ expression: 'object.nope == 1' }] })
      await made.configMap('b')
      const [checks, durations] = made.metrics.families()
      expect(checks?.name).to.equal('apiserver_validating_admission_policy_check_total')
      expect([...(checks?.samples() ?? [])].map(({ labels, value }) => [...Object.values(labels), value].join(' '))).to.have.members([
        'p p invalid_error warn 4',
        'p p invalid_error audit 4',
        'i i invalid_error allow 1',
      ])
      expect([...(durations?.samples() ?? [])].filter(({ le }) => le === '+Inf')).to.have.length(3)
    })
  })

  describe('variables', () => {
    const seen = async (
      expression: string,
      act: (made: PolicyWorld) => Promise<unknown> = made => made.configMap('a', { data: { x: '1' } }),
    ) => {
      const made = await world({ validations: [{ expression: 'false', messageExpression: `string(${expression})` }] })
      return (await refusal(act(made))).message.replace(/^.* denied request: /, '')
    }
    const CASES: [expression: string, value: string][] = [
      ['object.data.x', '1'],
      ['object.kind + object.apiVersion', 'ConfigMapv1'],
      ['oldObject == null', 'true'],
      ['namespaceObject.metadata.labels.team', 'a'],
      ['namespaceObject.metadata.name', 'ns'],
      ['request.operation', 'CREATE'],
      ['request.kind.kind + request.kind.version', 'ConfigMapv1'],
      ['request.resource.resource', 'configmaps'],
      ['request.requestKind == request.kind', 'true'],
      ['has(request.subResource)', 'false'],
      ['request.namespace + request.name', 'nsa'],
      ['request.userInfo.username', 'system:apiserver'],
      ["'system:masters' in request.userInfo.groups", 'true'],
      ['has(request.userInfo.uid)', 'false'],
      ['request.dryRun', 'false'],
      ['request.options.kind', 'CreateOptions'],
      ['request.options.apiVersion', 'meta.k8s.io/v1'],
    ]
    for (const [expression, value] of CASES) it(expression, async () => expect(await seen(expression)).to.equal(value))
    it('have no namespaceObject for a Namespace', async () => {
      const made = new PolicyWorld()
      const rules = [{ ...CONFIG_MAP_RULES[0], resources: ['namespaces'] }]
      const message = "string(namespaceObject == null) + ' ' + request.namespace"
      await made.policy('p', {
        matchConstraints: { resourceRules: rules },
        validations: [{ expression: 'false', messageExpression: message }],
      })
      const create = made.t.access().create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'other' } })
      expect((await refusal(create)).message).to.match(/denied request: true other$/)
    })
  })

  it('are never evaluated for policies themselves, so that a broken one can be removed', async () => {
    const made = new PolicyWorld()
    const everything = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }]
    await made.policy('p', { matchConstraints: { resourceRules: everything }, ...REFUSE })
    const api = made.t.access()
    await api.delete(BINDINGS, '', 'p')
    await api.delete(POLICIES, '', 'p')
  })

  it('are not evaluated before the policies are loaded', async () => {
    const made = await world(REFUSE)
    made.index.filling.begin()
    const user = { name: 'bob', groups: [] }
    const waiting = made.configMap('a', {}, { ctx: { ...made.context(), user } })
    let answered = false
    const answer = refusalText(waiting).finally(() => {
      answered = true
    })
    await turns()
    expect(answered).to.equal(false)
    made.index.filling.end()
    expect(await answer).to.equal(`422 Invalid: ${by('no')}`)
  })
})
