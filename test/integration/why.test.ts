import { expect } from 'chai'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest, User } from '../../src/testing/types.ts'
import type { Why } from '../../src/why/types.ts'
import type { AnyObject } from '../support/any-object.ts'
import { linkDefinition, serveLinks, webhookConversion } from '../support/conversion.ts'
import { type Act, WebhookServer } from '../support/webhooks/webhook-server.ts'

const PATH = '/binnacle/v1/why'
const RBAC = 'rbac.authorization.k8s.io'
const CONFIG_MAPS = '/api/v1/namespaces/shop/configmaps'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments'
const PASSWORD = 'hunter2hunter2'

const role = (name: string, verbs: readonly string[], resources: readonly string[], apiGroups = ['']): Manifest => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'Role',
  metadata: { name, namespace: 'shop' },
  rules: [{ verbs, apiGroups, resources }],
})

const binding = (name: string, subject: object): Manifest => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'RoleBinding',
  metadata: { name, namespace: 'shop' },
  roleRef: { apiGroup: RBAC, kind: 'Role', name },
  subjects: [subject],
})

const deployment = (spec: object = {}, more: object = {}): AnyObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
      ...spec,
    },
    ...more,
  }) as AnyObject

describe('the explanation of a request', () => {
  let plane: ControlPlane
  let jane: User
  let webhook: WebhookServer

  before(async () => {
    webhook = await WebhookServer.start()
    plane = await startControlPlane({
      flags: { why: 500, 'runtime-config': 'admissionregistration.k8s.io/v1alpha1=true' },
      gates: { MutatingAdmissionPolicy: true },
    })
    jane = await plane.user('jane', ['devs'])
    await plane.apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      role('readers', ['get', 'list'], ['pods']),
      binding('readers', { apiGroup: RBAC, kind: 'Group', name: 'devs' }),
    )
    await plane.until(async () => (await jane.request('GET', '/api/v1/namespaces/shop/pods')).status === 200)
  })
  after(async () => {
    await plane?.stop()
    webhook?.close()
  })

  /** Sends a request, and returns its explanation. */
  const why = async (user: User, method: string, path: string, options: object = {}): Promise<Why> =>
    plane.why(await user.request(method, path, options))
  const stepsOf = ({ steps }: Why, step: string): AnyObject[] => steps.filter(each => each.step === step) as unknown as AnyObject[]
  const stepOf = (answer: Why, step: string): AnyObject => {
    const found = stepsOf(answer, step)
    expect(found, JSON.stringify(answer.steps)).to.have.length(1)
    return found[0] as AnyObject
  }

  it('names the caller with its certificate, and the binding that allows it', async () => {
    const answer = await why(jane, 'GET', '/api/v1/namespaces/shop/pods?limit=3')
    expect(answer).to.include({ kind: 'Why', user: 'jane', verb: 'list', status: 200, uri: '/api/v1/namespaces/shop/pods?limit=3' })
    const { user, proof } = stepOf(answer, 'authenticated')
    expect(user.groups).to.deep.equal(['devs', 'system:authenticated'])
    expect(proof).to.include({ kind: 'client certificate', subject: 'O=devs, CN=jane' })
    expect(Date.parse(proof.notAfter)).to.be.above(Date.now())
    expect(stepOf(answer, 'authorized')).to.include({
      decision: 'allow',
      by: 'RBAC',
      reason: 'RBAC: allowed by RoleBinding "readers/shop" of Role "readers" to Group "devs"',
    })
    expect(stepOf(answer, 'priority level')).to.include({ flowSchema: 'global-default', waited: 0 })
    expect(stepOf(answer, 'read').meaning).to.match(/^the latest state: from the watch cache, when/)
    expect(answer.denial).to.equal(undefined)
  })

  it('gives the closest rules and the missing ones of a denied request, to administrators only', async () => {
    const answer = await why(jane, 'GET', '/api/v1/namespaces/shop/secrets')
    expect(answer).to.include({ status: 403, reason: 'Forbidden' })
    expect(answer.denial?.modes).to.deep.equal(['RBAC'])
    expect(answer.denial?.closest[0]).to.deep.include({
      binding: 'RoleBinding shop/readers',
      role: 'Role readers',
      subject: 'Group devs',
      missing: ['resource'],
    })
    expect(answer.denial?.toAllow.commands).to.deep.equal([
      'kubectl create role jane-list-secrets --verb=list --resource=secrets --namespace=shop',
      'kubectl create rolebinding jane-list-secrets --role=jane-list-secrets --user=jane --namespace=shop',
    ])
    for (const path of [PATH, `${PATH}/${answer.auditID}`]) {
      const denied = await jane.request('GET', path)
      expect(denied.status).to.equal(403)
      expect(JSON.stringify(denied.body)).to.not.include('readers')
    }
    // The suggested YAML allows the request.
    await plane.apply(answer.denial?.toAllow.yaml ?? '')
    await plane.until(async () => (await jane.request('GET', '/api/v1/namespaces/shop/secrets')).status === 200)
    const { body } = await plane.request('GET', `${PATH}/${answer.auditID}`)
    expect((body as Why).denial?.allowedNow).to.equal('RoleBinding shop/jane-list-secrets of Role jane-list-secrets')
    await plane.request('DELETE', `/apis/${RBAC}/v1/namespaces/shop/rolebindings/jane-list-secrets`)
  })

  it('distinguishes verb, group, subject and namespace as the missing part', async () => {
    await plane.apply(
      role('scalers', ['update'], ['deployments']),
      binding('scalers', { kind: 'ServiceAccount', name: 'robot', namespace: 'shop' }),
    )
    const closest = async (path: string, method = 'GET') => (await why(jane, method, path)).denial?.closest[0]
    expect((await closest('/api/v1/namespaces/shop/pods/a', 'DELETE'))?.missing).to.deep.equal(['verb'])
    expect((await closest('/api/v1/namespaces/default/pods'))?.missing).to.deep.equal(['namespace'])
    expect(await closest('/apis/apps/v1/namespaces/shop/pods')).to.deep.include({
      binding: 'RoleBinding shop/readers',
      missing: ['apiGroup'],
    })
    await plane.apply(role('scalers', ['update'], ['deployments'], ['apps']))
    await plane.until(async () => {
      const found = await closest(`${DEPLOYMENTS}/web`, 'PUT')
      return found?.binding === 'RoleBinding shop/scalers' && found.missing.join() === 'subject'
    })
  })

  it('names the impersonator, the impersonated user, and the rule that allows it', async () => {
    const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'devs' }
    const answer = await why(plane, 'GET', '/api/v1/namespaces/shop/pods', { headers })
    expect(answer.user).to.equal('jane')
    expect(stepOf(answer, 'authenticated').user.name).to.equal('kubernetes-admin')
    expect(stepOf(answer, 'impersonated')).to.deep.include({
      allowedBy: ['impersonate users jane: system:masters', 'impersonate groups devs: system:masters'],
    })
    const denied = await why(jane, 'GET', '/api/v1/namespaces/shop/pods', { headers: { 'impersonate-user': 'kubernetes-admin' } })
    expect(stepOf(denied, 'authorized')).to.deep.include({ decision: 'no opinion', of: 'impersonate users kubernetes-admin' })
  })

  it('names the kind of a token and its issuer, and why one was rejected', async () => {
    const { body } = await plane.request('POST', '/api/v1/namespaces/shop/serviceaccounts/default/token', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    })
    const { token } = (body as AnyObject).status
    const withToken = await plane.user('', [])
    const headers = (bearer: string) => ({ headers: { authorization: `Bearer ${bearer}` } })
    const good = await why(withToken, 'GET', '/api/v1/namespaces/shop/pods', headers(token))
    expect(stepOf(good, 'authenticated').proof).to.include({
      kind: 'token',
      source: 'service account',
      issuer: 'https://kubernetes.default.svc.cluster.local',
    })
    const bad = await why(withToken, 'GET', '/api/v1/namespaces/shop/pods', headers(`${token}x`))
    expect(bad.status).to.equal(401)
    expect(stepsOf(bad, 'not authenticated')[0]?.reason).to.match(/cryptographic/)
    expect(JSON.stringify([good, bad])).to.not.include(token.slice(-40))
  })

  it('lists defaults, dropped fields and changes of the kind', async () => {
    const body = deployment({ replicaz: 2 }, { status: { replicas: 4 } })
    const answer = await why(plane, 'POST', `${DEPLOYMENTS}?fieldValidation=Warn`, { body })
    expect(answer.status).to.equal(201)
    expect(stepOf(answer, 'defaults').changes).to.deep.include({ op: 'add', path: '/spec/replicas', value: 1 })
    expect(stepsOf(answer, 'dropped').map(({ because, fields }) => ({ because, fields }))).to.deep.equal([
      { because: 'unknown field', fields: ['spec.replicaz'] },
      { because: 'not written here', fields: ['/status/replicas'] },
    ])
    expect(stepOf(answer, 'warning').text).to.equal('unknown field "spec.replicaz"')
    expect(stepOf(answer, 'rules of the kind').changes).to.deep.equal([{ op: 'add', path: '/metadata/generation', value: 1 }])
    expect(stepOf(answer, 'written')).to.include({ outcome: 'created' })
  })

  it('reports that a field behind a disabled gate was cleared', async () => {
    const containers = [{ name: 'c', image: 'i', lifecycle: { stopSignal: 'SIGTERM' } }]
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'gated' }, spec: { containers, os: { name: 'linux' } } }
    const answer = await why(plane, 'POST', '/api/v1/namespaces/shop/pods?dryRun=All', { body })
    const gated = stepsOf(answer, 'dropped').find(({ because }) => because === 'feature gate')
    expect(gated).to.deep.include({ gate: 'ContainerStopSignals', fields: ['/spec/containers/0/lifecycle'] })
  })

  it('names the managers of conflicting fields of an apply, and since when', async () => {
    await plane.request('PATCH', `${CONFIG_MAPS}/owned?fieldManager=one`, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned' }, data: { a: '1' } },
    })
    const answer = await why(plane, 'PATCH', `${CONFIG_MAPS}/owned?fieldManager=two`, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned' }, data: { a: '2' } },
    })
    expect(answer).to.include({ status: 409, reason: 'Conflict' })
    const [conflict] = stepOf(answer, 'apply conflicts').conflicts
    expect(conflict).to.include({ field: '.data.a', manager: 'one', operation: 'Apply' })
    expect(Date.parse(conflict.since)).to.be.above(0)
  })

  const review =
    (response: object): Act =>
    asked => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: uidOf(asked), allowed: true, ...response } })
  const uidOf = (asked: Record<string, unknown>): unknown => (asked.request as AnyObject).uid
  const configuration = (kind: string, path: string, failurePolicy = 'Fail'): Manifest => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: path.slice(1) },
    webhooks: [
      {
        name: `${path.slice(1)}.example.com`,
        clientConfig: path === '/gone' ? { url: 'https://127.0.0.1:1/gone' } : webhook.clientConfig(path),
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        objectSelector: { matchLabels: { asks: path.slice(1) } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy,
        timeoutSeconds: 5,
      },
    ],
  })
  const labelled = (name: string, asks: string): object => ({
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { asks } }, data: { a: 'b' } },
  })

  it('shows each attempt of a write with concurrent changes', async () => {
    const made = configuration('ValidatingWebhookConfiguration', '/meddles')
    const [hook] = made.webhooks as AnyObject[]
    const rules = [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }]
    const patch = (data: object) => plane.request('PATCH', `${CONFIG_MAPS}/busy`, { body: { data } })
    // Another client writes during the first call of the webhook.
    let asked = 0
    webhook.acts.set('/meddles', async (about, ...rest) => {
      if (++asked === 1) await patch({ theirs: String(performance.now()) })
      return review({})(about, ...rest)
    })
    await plane.request('POST', CONFIG_MAPS, labelled('busy', 'meddles'))
    await plane.apply({ ...made, webhooks: [{ ...hook, rules }] })
    await plane.until(async () => (await patch({ looks: String(performance.now()) })).status === 200 && asked > 0)
    asked = 0
    const answer = await plane.why(await patch({ ours: '1' }))
    const attempts = stepsOf(answer, 'attempt')
    expect(attempts.map(({ attempt }) => attempt)).to.deep.equal([1, 2])
    expect(new Set(attempts.map(({ resourceVersion }) => resourceVersion)).size).to.equal(2)
    expect(stepsOf(answer, 'store').filter(({ operation }) => operation === 'update')).to.have.length(2)
    expect(stepOf(answer, 'written')).to.include({ outcome: 'updated' })
  })

  it('contains the patches, annotations and rejections of webhooks', async () => {
    const patch = [
      { op: 'add', path: '/data/by', value: 'webhook' },
      { op: 'add', path: '/data/apiToken', value: PASSWORD },
    ]
    webhook.acts.set(
      '/patches',
      review({ patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64'), auditAnnotations: { note: 'seen' } }),
    )
    webhook.acts.set('/refuses', review({ allowed: false, status: { code: 403, message: 'not on Fridays' } }))
    await plane.apply(
      configuration('MutatingWebhookConfiguration', '/patches'),
      configuration('ValidatingWebhookConfiguration', '/refuses'),
      configuration('ValidatingWebhookConfiguration', '/gone', 'Ignore'),
    )
    await plane.until(async () => (await plane.request('POST', `${CONFIG_MAPS}?dryRun=All`, labelled('x', 'refuses'))).status === 403)
    const patched = await why(plane, 'POST', CONFIG_MAPS, labelled('patched', 'patches'))
    const asked = stepOf(patched, 'webhook')
    expect(asked).to.include({ configuration: 'patches', webhook: 'patches.example.com', phase: 'mutating', round: 1, outcome: 'admitted' })
    expect(asked.milliseconds).to.be.above(0)
    expect(asked.patch).to.deep.equal([patch[0], { ...patch[1], value: '<redacted>' }])
    const plugin = stepsOf(patched, 'admission plugin').find(({ plugin }) => plugin === 'MutatingAdmissionWebhook')
    expect(plugin?.changes).to.deep.include({ op: 'add', path: '/data/by', value: 'webhook' })
    expect(stepsOf(patched, 'audit annotation').map(({ key }) => key)).to.include('patches.example.com/note')
    const refused = await why(plane, 'POST', CONFIG_MAPS, labelled('refused', 'refuses'))
    expect(stepOf(refused, 'webhook')).to.deep.include({ phase: 'validating', outcome: 'refused' })
    expect(refused.answer.message).to.match(/not on Fridays/)
    const open = await why(plane, 'POST', CONFIG_MAPS, labelled('open', 'gone'))
    expect(open.status).to.equal(201)
    expect(stepOf(open, 'webhook')).to.deep.include({ outcome: 'failed open' })
  })

  it('contains messages, changes and costs of policies', async () => {
    const match = { resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }] }
    const policy = (kind: string, name: string, apiVersion: string, spec: object): Manifest[] => [
      {
        apiVersion: `admissionregistration.k8s.io/${apiVersion}`,
        kind,
        metadata: { name },
        spec: { matchConstraints: { ...match, objectSelector: { matchLabels: { asks: name } } }, failurePolicy: 'Fail', ...spec },
      },
      {
        apiVersion: `admissionregistration.k8s.io/${apiVersion}`,
        kind: `${kind}Binding`,
        metadata: { name },
        spec: { policyName: name, ...(kind === 'ValidatingAdmissionPolicy' && { validationActions: ['Deny'] }) },
      },
    ]
    await plane.apply(
      ...policy('ValidatingAdmissionPolicy', 'few', 'v1', { validations: [{ expression: 'object.data.size() > 1', message: 'too few' }] }),
      ...policy('MutatingAdmissionPolicy', 'marks', 'v1alpha1', {
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data/mark", value: "x"}]' } }],
      }),
    )
    await plane.until(async () => (await plane.request('POST', `${CONFIG_MAPS}?dryRun=All`, labelled('x', 'few'))).status === 422)
    const refused = await why(plane, 'POST', CONFIG_MAPS, labelled('few', 'few'))
    const asked = stepOf(refused, 'policy')
    expect(asked).to.deep.include({ policy: 'few', binding: 'few', phase: 'validating', outcome: 'refused', messages: ['too few'] })
    expect(asked.cost).to.be.within(1, 100)
    await plane.until(
      async () => stepsOf(await why(plane, 'POST', `${CONFIG_MAPS}?dryRun=All`, labelled('x', 'marks')), 'policy').length > 0,
    )
    const marked = await why(plane, 'POST', CONFIG_MAPS, labelled('marked', 'marks'))
    const [first] = stepsOf(marked, 'policy')
    expect(first).to.deep.include({
      policy: 'marks',
      phase: 'mutating',
      outcome: 'admitted',
      changes: [{ op: 'add', path: '/data/mark', value: 'x' }],
    })
    expect(first?.cost).to.be.above(0)
  })

  it('contains calls of a conversion webhook', async () => {
    const converting = serveLinks(webhook)
    await plane.apply(linkDefinition(webhookConversion(converting)) as Manifest)
    const answer = await why(plane, 'POST', '/apis/example.com/v2/namespaces/shop/links', {
      body: { apiVersion: 'example.com/v2', kind: 'Link', metadata: { name: 'l' }, spec: { host: 'h', port: '1' } },
    })
    const [first] = stepsOf(answer, 'conversion')
    expect(first, JSON.stringify(answer)).to.include({ objects: 1 })
  })

  it('contains the requested version of reads, and whether the store served them', async () => {
    const any = await why(plane, 'GET', `${CONFIG_MAPS}?resourceVersion=0`)
    expect(stepOf(any, 'read')).to.include({ resourceVersion: '0', meaning: 'any state: the watch cache as it is now' })
    expect(stepsOf(any, 'store')).to.deep.equal([])
    const { metadata } = (await plane.request('GET', CONFIG_MAPS)).body as AnyObject
    const exact = await why(plane, 'GET', `${CONFIG_MAPS}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`)
    expect(stepOf(exact, 'read')).to.include({ resourceVersionMatch: 'Exact' })
    const one = await why(
      plane,
      'GET',
      `${CONFIG_MAPS}?fieldSelector=metadata.name%3Dbusy&resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`,
    )
    expect(stepsOf(one, 'store').map(({ operation, resource }) => `${operation} ${resource}`)).to.deep.equal(['list configmaps'])
  })

  it('never contains the values of secrets', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: PASSWORD } }
    const path = '/api/v1/namespaces/shop/secrets'
    const applied = JSON.stringify({ data: { password: PASSWORD } })
    const ids: string[] = []
    const ask = async (method: string, at: string, options: object): Promise<void> => {
      const { headers } = await plane.request(method, at, options)
      ids.push(String(headers['audit-id']))
    }
    await ask('POST', path, {
      body: { ...secret, metadata: { name: 's', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } } },
    })
    await ask('POST', path, { body: { ...secret, metadata: { name: 't' }, stringData: undefined, data: { password: PASSWORD } } })
    await ask('POST', path, { body: { ...secret, metadata: { name: 'u' }, type: PASSWORD, [PASSWORD]: 1, immutable: PASSWORD } })
    await ask('PATCH', `${path}/s`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { stringData: { more: PASSWORD }, immutable: PASSWORD },
    })
    await ask('PATCH', `${path}/s`, {
      headers: { 'content-type': 'application/json-patch+json' },
      body: [{ op: 'replace', path: '/data', value: PASSWORD }],
    })
    await ask('GET', `/api/v1/namespaces/shop/pods/p/proxy/x?token=${PASSWORD}`, {})
    await ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: PASSWORD } },
    })
    for (const id of ids) {
      const { status, body } = await plane.request('GET', `${PATH}/${id}`)
      expect(status).to.equal(200)
      const { steps, ...rest } = body as Why
      const values = JSON.stringify([steps.filter(({ step }) => step !== 'dropped'), rest])
      expect(values).to.not.include(PASSWORD)
      expect(values).to.not.include(Buffer.from(PASSWORD).toString('base64').slice(0, 12))
    }
    expect(JSON.stringify((await plane.request('GET', PATH)).body)).to.not.include(PASSWORD)
  })

  it('lists recent requests, newest first, by user or failure', async () => {
    await jane.request('GET', '/api/v1/namespaces/shop/pods')
    await jane.request('GET', '/api/v1/nodes')
    await plane.request('GET', '/api/v1/nodes/none')
    const list = async (query: string): Promise<AnyObject[]> => ((await plane.request('GET', `${PATH}?${query}`)).body as AnyObject).items
    expect((await list('limit=2&user=jane')).map(({ uri, status }) => `${status} ${uri}`)).to.deep.equal([
      '403 /api/v1/nodes',
      '200 /api/v1/namespaces/shop/pods',
    ])
    expect((await list('limit=2&failed=true')).map(({ status }) => status)).to.deep.equal([404, 403])
    for (const bad of ['limit=0', 'limit=x', 'limit=1001'])
      expect((await plane.request('GET', `${PATH}?${bad}`)).body, bad).to.include({ code: 400 })
    const gone = await plane.request('GET', `${PATH}/nobody-knows`)
    expect(gone.status).to.equal(404)
    expect((gone.body as AnyObject).message).to.equal('no request with the audit id "nobody-knows" was found: only the last 500 are kept')
    expect((await plane.request('POST', PATH, { body: {} })).status).to.equal(405)
  })

  it('is available in the library for tests, for a response, a record and an audit id', async () => {
    const answer = await jane.request('GET', '/api/v1/namespaces/shop/pods?limit=7')
    const recorded = plane.requests.at(-1)
    expect(recorded?.uri).to.equal('/api/v1/namespaces/shop/pods?limit=7')
    for (const one of [answer, recorded ?? '', String(answer.headers['audit-id'])])
      expect((await plane.why(one)).uri).to.equal(recorded?.uri)
    expect(plane.requests.at(-1)).to.deep.equal(recorded)
    const failure = await plane.why('nobody-knows').catch(error => error)
    expect(failure.message).to.match(/^request nobody-knows is not kept/)
  })

  it('is unavailable without the flag', async () => {
    const other = await startControlPlane()
    try {
      const { status, headers } = await other.request('GET', PATH)
      expect(status).to.equal(404)
      expect((await other.why(String(headers['audit-id'])).catch(error => error)).message).to.match(
        /start the control plane with the flag why/,
      )
    } finally {
      await other.stop()
    }
  })
})
