import { readFileSync } from 'node:fs'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from 'js-yaml'
import { ACTS } from './acts.ts'
import { type CaseRequest, GROUP, type WebhookCase } from './cases.ts'
import { ODD_ANSWERS, ODD_PATCHES } from './odd-answers.ts'
import { WebhookServer } from './webhook-server.ts'

/** Result of a case, with placeholders for values that differ between runs. */
export interface CaseRow {
  readonly id: string
  readonly status: number
  readonly warning?: string
  readonly body: unknown
  /** Number of calls of webhooks, or their reviews without the user. */
  readonly calls: number | readonly { readonly path: string; readonly review: unknown }[]
}

interface Answer {
  readonly status: number
  readonly warning: string | undefined
  readonly body: unknown
}

type Json = Record<string, unknown>
type Ask = (method: string, path: string, body?: unknown, type?: string) => Promise<Answer>

const REGISTRATION = 'admissionregistration.k8s.io/v1'
const KINDS = { mutating: 'MutatingWebhookConfiguration', validating: 'ValidatingWebhookConfiguration' } as const
const pathOf = (kind: keyof typeof KINDS): string => `/apis/${REGISTRATION}/${KINDS[kind].toLowerCase()}s`

/**
 * Runs the cases, several at a time, on the server that a kubeconfig names: with a client certificate or a token. Its
 * webhooks are on this machine.
 */
export async function runWebhookCases(kubeconfig: string, cases: readonly WebhookCase[], jobs: number): Promise<CaseRow[]> {
  const { ask, close } = clientOf(kubeconfig)
  const hook = await WebhookServer.start()
  for (const [path, act] of Object.entries({ ...ACTS, ...ODD_PATCHES, ...ODD_ANSWERS })) hook.acts.set(path, act)
  const run = Math.random().toString(36).slice(2, 7)
  const rows = new Map<string, CaseRow>()
  const queue = cases.entries()
  try {
    await makeWidgets(ask)
    const worker = async (): Promise<void> => {
      for (const [i, one] of queue) rows.set(one.id, await runCase(ask, hook, `hooks-${run}-${i}`, one))
    }
    await Promise.all(Array.from({ length: jobs }, worker))
  } finally {
    await ask('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${GROUP}`)
    hook.close()
    close()
  }
  return cases.flatMap(({ id }) => rows.get(id) ?? [])
}

async function runCase(ask: Ask, hook: WebhookServer, ns: string, one: WebhookCase): Promise<CaseRow> {
  const send = ({ do: line, body, type }: CaseRequest): Promise<Answer> => {
    const [method = '', path = ''] = line.split(' ')
    return ask(method, path.replaceAll('{ns}', ns), body, type)
  }
  await must(ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }))
  for (const request of one.before ?? []) await must(send(request))
  const made: string[] = []
  const configure = async (kind: keyof typeof KINDS, name: string, webhook: Json): Promise<void> => {
    made.push(`${pathOf(kind)}/${name}`)
    const body = { apiVersion: REGISTRATION, kind: KINDS[kind], metadata: { name }, webhooks: [{ ...common(ns), ...webhook }] }
    await must(ask('POST', pathOf(kind), body))
  }
  try {
    for (const [i, { kind, path, more }] of one.hooks.entries()) {
      const { untrusted, ...rest } = (more ?? {}) as Json & { untrusted?: boolean }
      const clientConfig = hook.clientConfig(path)
      await configure(kind, `${ns}-${i}`, {
        name: 'h.example.com',
        clientConfig: untrusted ? { url: clientConfig.url } : clientConfig,
        ...rest,
      })
    }
    // Configurations come into force in their order, so those before this one are by the time that it is.
    for (const kind of new Set(one.hooks.map(each => each.kind))) {
      await configure(kind, `${ns}-gate-${kind}`, gate(hook, kind))
      await until(async () => (await ask('POST', `/api/v1/namespaces/${ns}/secrets?dryRun=All`, secret(kind))).status === 418)
    }
    const answer = await send(one.request)
    const told = hook.requests.filter(({ review }) => {
      const { namespace, resource } = (review.request ?? {}) as { namespace?: string; resource?: { resource?: string } }
      return namespace === ns && resource?.resource !== 'secrets'
    })
    const seen = told.map(({ path, review }) => ({ path, review: withoutUser(review) }))
    const { status, warning, body } = answer
    return normal(
      { id: one.id, status, ...(warning !== undefined && { warning }), body, calls: one.seen ? seen : seen.length },
      ns,
      hook.port,
    ) as CaseRow
  } finally {
    for (const path of made) await ask('DELETE', path)
    await ask('DELETE', `/api/v1/namespaces/${ns}`)
  }
}

const common = (ns: string): Json => ({
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps'] }],
})

const gate = (hook: WebhookServer, kind: string): Json => ({
  name: 'gate.example.com',
  clientConfig: hook.clientConfig('/deny'),
  objectSelector: { matchLabels: { gate: kind } },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
})

const secret = (kind: string): Json => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'gate', labels: { gate: kind } } })

async function makeWidgets(ask: Ask): Promise<void> {
  const integer = { type: 'integer' }
  const spec = { type: 'object', properties: { a: { type: 'string' }, d: { type: 'string', default: 'dd' }, replicas: integer } }
  const properties = { spec, status: { type: 'object', properties: { replicas: integer } } }
  const version = (name: string, storage: boolean): Json => ({
    name,
    served: true,
    storage,
    subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
    schema: { openAPIV3Schema: { type: 'object', properties } },
  })
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' }
  await must(
    ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `widgets.${GROUP}` },
      spec: { group: GROUP, scope: 'Namespaced', names, versions: [version('v1', true), version('v1beta1', false)] },
    }),
  )
  for (const name of ['v1', 'v1beta1']) await until(async () => (await ask('GET', `/apis/${GROUP}/${name}/widgets`)).status === 200)
}

async function must(asked: Promise<Answer>): Promise<void> {
  const { status, body } = await asked
  if (status < 200 || status > 299) throw new Error(`${status} ${JSON.stringify(body)}`)
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(50)) if (await condition()) return
  throw new Error('it did not come to pass')
}

function withoutUser(review: Json): Json {
  const { userInfo: _, ...request } = review.request as Json
  return { ...review, request }
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

function normal(row: object, ns: string, port: number): unknown {
  const text = JSON.stringify(row)
    .replaceAll(ns, '{ns}')
    .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:{port}')
    .replace(UID, '{uid}')
    .replace(TIME, '{time}')
    .replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"{rv}"')
    .replace(/"gen-[a-z0-9]{5}"/g, '"{generated}"')
  return JSON.parse(text, (key, value) => (key === 'managedFields' && Array.isArray(value) ? value.sort(byManager) : value))
}

const byManager = (a: { manager: string }, b: { manager: string }): number => (a.manager < b.manager ? -1 : 1)

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }]
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }]
}

function clientOf(kubeconfig: string): { readonly ask: Ask; close(): void } {
  const { clusters, users } = load(readFileSync(kubeconfig, 'utf8')) as Kubeconfig
  const { user } = users[0]
  const pem = (name: string) => (user[name] === undefined ? undefined : Buffer.from(user[name], 'base64'))
  const agent = new https.Agent({
    keepAlive: true,
    rejectUnauthorized: false,
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
  })
  const ask: Ask = (method, path, body, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const data = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      const headers = {
        'user-agent': 'probe/1.0',
        ...(user.token && { authorization: `Bearer ${user.token}` }),
        ...(data && { 'content-type': type, 'content-length': data.length }),
      }
      const request = https.request(clusters[0].cluster.server + path, { method, agent, headers }, res => {
        const parts: Buffer[] = []
        res.on('data', (part: Buffer) => parts.push(part))
        res.on('end', () =>
          resolve({ status: res.statusCode ?? 0, warning: res.headers.warning, body: parsed(Buffer.concat(parts).toString()) }),
        )
      })
      request.on('error', reject)
      request.end(data)
    })
  return { ask, close: () => agent.destroy() }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
