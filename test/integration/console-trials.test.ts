import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type InProcessServer, openInProcess, type Reply } from '../support/in-process-server.ts'

const POLICIES = '/binnacle/v1/console/policies'
const CEL = '/binnacle/v1/console/cel'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

const policy = (spec: object): string =>
  JSON.stringify({ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: { name: 'p' }, spec })
const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }]

describe('trials of the console', () => {
  let server: InProcessServer
  before(async () => {
    server = await openInProcess(['--console'], { tokens: 'reader,reader,2,readers\n' })
    while ((await server.send('/readyz')).status !== 200) await sleep(20)
    for (const [name, labels] of [
      ['owned', { owner: 'a' }],
      ['free', {}],
    ] as const)
      await server.send(CONFIG_MAPS, { method: 'POST', body: { metadata: { name, labels }, data: { size: '3' } } })
  })
  after(async () => {
    await server?.stop()
    server?.remove()
  })

  const post = async (path: string, body: unknown, token?: string): Promise<Reply> =>
    server.send(path, { method: 'POST', body, ...(token !== undefined && { token }) })
  const outcomes = async (text: string, path = CONFIG_MAPS): Promise<Readonly<Record<string, readonly unknown[]>>> => {
    const { status, text: answer } = await post(POLICIES, { policy: text, path })
    expect(status, answer).to.equal(200)
    return Object.fromEntries(
      JSON.parse(answer).results.map(({ name, outcome, messages }: { name: string; outcome: string; messages: string[] }) => [
        name,
        [outcome, ...messages],
      ]),
    )
  }

  describe('an expression', () => {
    const trial = async (expression: string, variables = {}): Promise<unknown> =>
      JSON.parse((await post(CEL, { expression, variables })).text)
    it('has a value, a type and a cost', async () => {
      expect(await trial('object.n + 1 > 3', { object: { n: 3 } })).to.deep.include({ type: 'bool', cost: 4, value: 'true' })
    })
    it('reports its errors', async () => {
      expect(await trial('a +')).to.have.keys('issues')
      expect(await trial("{'a': 1}.b")).to.deep.include({ error: 'no such key: b' })
      expect(await trial('[1,2].map(i, i*2)')).to.deep.include({ value: '[\n  2,\n  4\n]', type: 'list(int)' })
    })
    it('is stopped at the cost limit, and leaves turns to others', async () => {
      const list = Array.from({ length: 2_000 }, (_, i) => i)
      const running = trial('l.all(a, l.all(b, l.all(c, a + b + c >= 0)))', { l: list })
      expect((await server.send('/readyz')).status).to.equal(200)
      expect(await running).to.deep.include({ error: 'operation cancelled: actual cost limit exceeded' })
    })
    it('does not print a result that is much larger than its parts', async () => {
      const nested = `[l]${'.map(a,[a,a])'.repeat(40)}`
      expect(await trial(nested, { l: [1] })).to.deep.include({ value: 'too large to show' })
    })
    it('is limited in size', async () => {
      for (const [body, code] of [
        [{ expression: 'a'.repeat(10_001) }, 400],
        [{ expression: '1', variables: [] }, 400],
        [{ expression: '1', variables: { 'a-b': 1 } }, 400],
        [{ expression: '1', variables: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`v${i}`, 1])) }, 400],
        [{ expression: 1 }, 400],
        ['x', 400],
        [{ expression: '1', variables: { v: 'x'.repeat(300_000) } }, 413],
      ] as const)
        expect((await post(CEL, body)).status, JSON.stringify(body).slice(0, 100)).to.equal(code)
    })
  })

  describe('a policy', () => {
    it('lists the stored objects that it would reject, with reasons', async () => {
      const text = policy({
        matchConstraints: { resourceRules: rules },
        validations: [{ expression: "has(object.metadata.labels) && 'owner' in object.metadata.labels", message: 'owner?' }],
      })
      expect(await outcomes(text)).to.deep.equal({
        free: ['refused', 'owner?'],
        owned: ['allowed'],
        'kube-root-ca.crt': ['refused', 'owner?'],
      })
    })
    it('applies rules, selectors and conditions', async () => {
      const refuses = [{ expression: 'false' }]
      const only = (spec: object): Promise<unknown> => outcomes(policy({ validations: refuses, ...spec })).then(({ owned }) => owned?.[0])
      expect(await only({ matchConstraints: { resourceRules: [{ ...rules[0], resources: ['pods'] }] } })).to.equal('not matched')
      expect(await only({ matchConstraints: { resourceRules: rules, objectSelector: { matchLabels: { owner: 'b' } } } })).to.equal(
        'not matched',
      )
      expect(
        await only({
          matchConstraints: { resourceRules: rules, namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
        }),
      ).to.equal('refused')
      expect(
        await only({
          matchConstraints: { resourceRules: rules },
          matchConditions: [{ name: 'a', expression: "object.metadata.name != 'owned'" }],
        }),
      ).to.equal('allowed')
    })
    it('supports variables and parameters, but no authorizer', async () => {
      const text = `${policy({
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: { resourceRules: rules },
        variables: [{ name: 'size', expression: "'size' in object.data ? int(object.data.size) : 0" }],
        validations: [
          { expression: 'variables.size <= int(params.data.max)', messageExpression: "'too big: ' + string(variables.size)" },
          { expression: "!authorizer.group('').resource('secrets').namespace('kube-system').check('get').allowed()" },
        ],
      })}\n---\ndata: {max: '2'}\n`
      expect((await outcomes(text)).owned).to.deep.equal(['refused', 'too big: 3'])
    })
    it('reports evaluation errors', async () => {
      const failing = policy({
        matchConstraints: { resourceRules: rules },
        validations: [{ expression: 'object.nothing.x == 1' }, { expression: 'x +' }],
      })
      const [outcome, ...messages] = (await outcomes(failing)).owned ?? []
      expect(outcome).to.equal('failed')
      expect(messages[0]).to.include('no such key: nothing')
      expect(messages[1]).to.include('compilation')
      expect((await outcomes(policy({ validations: [] }))).owned?.[0]).to.equal('failed')
    })
    it('is rejected if it is invalid, or if the path is not a collection', async () => {
      const good = policy({ matchConstraints: { resourceRules: rules }, validations: [{ expression: 'true' }] })
      for (const [text, path, code] of [
        ['', CONFIG_MAPS, 400],
        ['a: [', CONFIG_MAPS, 400],
        ['kind: Pod', CONFIG_MAPS, 400],
        ['kind: ValidatingAdmissionPolicy\nspec: null', CONFIG_MAPS, 200],
        ['kind: ValidatingAdmissionPolicy\nmetadata: null\nspec: {}', CONFIG_MAPS, 200],
        ['kind: ValidatingAdmissionPolicy\nspec: 3', CONFIG_MAPS, 400],
        [`${good}\n---\na: 1\n---\nb: 1`, CONFIG_MAPS, 400],
        [good, '/metrics', 400],
        [good, `${CONFIG_MAPS}/owned`, 400],
        [good, '/apis/none/v1/nothing', 404],
        [good, '/api/v1/componentstatuses', 400],
        // Rights in a namespace are none to kinds that have none.
        [good, '/api/v1/namespaces/default/persistentvolumes', 400],
        [good, '/apis/rbac.authorization.k8s.io/v1/namespaces/default/clusterroles', 400],
      ] as const)
        expect((await post(POLICIES, { policy: text, path })).status, `${text.slice(0, 50)} ${path}`).to.equal(code)
    })
    it('hides objects that the user may not list', async () => {
      const rbac = '/apis/rbac.authorization.k8s.io/v1'
      await server.send(`${rbac}/clusterroles`, {
        method: 'POST',
        body: { metadata: { name: 'try' }, rules: [{ verbs: ['post'], nonResourceURLs: ['/binnacle/v1/console/*'] }] },
      })
      await server.send(`${rbac}/clusterrolebindings`, {
        method: 'POST',
        body: {
          metadata: { name: 'try' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'try' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
        },
      })
      const good = policy({ matchConstraints: { resourceRules: rules }, validations: [{ expression: 'true' }] })
      const { status, text } = await post(POLICIES, { policy: good, path: CONFIG_MAPS }, 'reader')
      expect([status, text.includes('owned'), text.includes('cannot list these objects')]).to.deep.equal([403, false, true])
    })
  })
})
