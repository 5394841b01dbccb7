import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../../src/api/meta/object.ts'
import { createProbeClient, type ProbeClient } from '../probe/client.ts'
import type { ChosenRequest } from './choices.ts'
import {
  definitionOf,
  FIRST,
  failsIn,
  markerOf,
  type Names,
  PLURAL,
  policyOf,
  type Settings,
  type VersionName,
  webhookOf,
} from './settings.ts'

export interface ChangeAnswer {
  readonly status: number
  readonly body: JsonObject
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
const JSON_TYPE = 'application/json'
const SETTLES_MS = 120_000

/** One server of a history, with what it was last told. */
export class ChangingServer {
  readonly names: Names
  readonly #client: ProbeClient
  readonly #namespace: string
  #told: Settings | undefined
  /** The resourceVersions of each object's first and last write. */
  readonly #versions = new Map<string, { readonly stale: string; readonly current: string }>()

  constructor(kubeconfig: string, names: Names, namespace: string) {
    this.#client = createProbeClient(kubeconfig)
    this.names = names
    this.#namespace = namespace
  }

  /** Makes the namespace and the definition. */
  async start(): Promise<void> {
    await this.#clear()
    await this.#must('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#namespace } })
    await this.change(FIRST)
    await this.settle(FIRST)
  }

  async stop(): Promise<void> {
    await this.#clear()
    this.#client.close()
  }

  async #clear(): Promise<void> {
    const paths = [
      `${ADMISSION}/mutatingwebhookconfigurations/${this.names.group}`,
      `${ADMISSION}/validatingadmissionpolicybindings/${this.names.group}`,
      `${ADMISSION}/validatingadmissionpolicies/${this.names.group}`,
      `${DEFINITIONS}/${PLURAL}.${this.names.group}`,
      `/api/v1/namespaces/${this.#namespace}`,
    ]
    for (const path of paths) {
      await this.ask('DELETE', path)
      await until(`${path} is gone`, async () => (await this.ask('GET', path)).status === 404)
    }
  }

  async ask(method: string, path: string, body?: Json, contentType = JSON_TYPE, accept = JSON_TYPE): Promise<ChangeAnswer> {
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = { accept, ...(sent && { 'content-type': contentType }) }
    const answer = await this.#client.ask(method, path, { headers, body: sent })
    const text = answer.body.toString()
    return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : { text } }
  }

  async #must(method: string, path: string, body?: Json): Promise<JsonObject> {
    const answer = await this.ask(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** Tells the server of new settings. Resolves when it has acknowledged them. */
  async change(next: Settings): Promise<void> {
    const told = this.#told
    if (told?.generation !== next.generation) await this.#write(DEFINITIONS, definitionOf(next, this.names))
    const webhook = webhookOf(next, this.names)
    if (told?.mutating !== next.mutating) {
      if (webhook) await this.#write(`${ADMISSION}/mutatingwebhookconfigurations`, webhook)
      else if (told) await this.#must('DELETE', `${ADMISSION}/mutatingwebhookconfigurations/${this.names.group}`)
    }
    if (told !== undefined && told.denying !== next.denying) await this.#changePolicy(next)
    this.#told = next
  }

  async #changePolicy(next: Settings): Promise<void> {
    const made = policyOf(next, this.names)
    if (made) {
      await this.#write(`${ADMISSION}/validatingadmissionpolicies`, made.policy)
      await this.#write(`${ADMISSION}/validatingadmissionpolicybindings`, made.binding)
    } else {
      await this.#must('DELETE', `${ADMISSION}/validatingadmissionpolicybindings/${this.names.group}`)
      await this.#must('DELETE', `${ADMISSION}/validatingadmissionpolicies/${this.names.group}`)
    }
  }

  /** Creates an object, or replaces it. Others (the status of a definition) may write meanwhile. */
  async #write(collection: string, object: JsonObject): Promise<void> {
    const metadata = objectIn(object.metadata)
    for (;;) {
      const now = await this.ask('GET', `${collection}/${metadata.name}`)
      if (now.status === 404) return void (await this.#must('POST', collection, object))
      const { resourceVersion = null } = objectIn(now.body.metadata)
      const answer = await this.ask('PUT', `${collection}/${metadata.name}`, { ...object, metadata: { ...metadata, resourceVersion } })
      if (answer.status === 200) return
      if (answer.status !== 409) throw new Error(`${collection}/${metadata.name}: ${JSON.stringify(answer.body)}`)
    }
  }

  /**
   * Waits until writes show the settings: servers learn of them by watches. Twice, as a server may have several parts.
   */
  async settle(settings: Settings): Promise<void> {
    for (let seen = 0; seen < 2; )
      await until(`a change has taken effect: ${JSON.stringify(settings)}`, async () => {
        seen = (await this.#shows(settings)) ? seen + 1 : 0
        return seen > 0
      })
  }

  async #shows(settings: Settings): Promise<boolean> {
    const versions: VersionName[] = settings.v2 ? ['v1', 'v2'] : ['v1']
    for (const version of versions) {
      const plain = await this.#tryCreate(version, 'plain')
      const failing = settings.mutating === 'failing' || failsIn(settings, version)
      if ((plain.status === 500) !== failing) return false
      if (failing) continue
      const { hook } = objectIn(objectIn(plain.body.metadata).labels)
      const { [markerOf(settings.generation)]: marker } = objectIn(plain.body.spec)
      if (marker === undefined || (hook !== undefined) !== (settings.mutating === 'labelling')) return false
      if (settings.conversion !== 'failing' && (await this.ask('GET', this.collection(version))).status !== 200) return false
      const forbidden = await this.#tryCreate(version, 'forbidden')
      if ((forbidden.status === 422) !== settings.denying) return false
    }
    return settings.v2 || (await this.ask('GET', this.collection('v2'))).status === 404
  }

  #tryCreate(version: VersionName, note: string): Promise<ChangeAnswer> {
    const object = {
      apiVersion: `${this.names.group}/${version}`,
      kind: 'Changeling',
      metadata: { name: 'tried', labels: {} },
      spec: { note },
    }
    return this.ask('POST', `${this.collection(version)}?dryRun=All`, {
      ...object,
      metadata: { ...object.metadata, labels: { color: 'none' } },
    })
  }

  collection(version: VersionName): string {
    return `/apis/${this.names.group}/${version}/namespaces/${this.#namespace}/${PLURAL}`
  }

  /** Makes a request of a history. */
  async request({ method, version, name, subresource, query, contentType, accept, body, at }: ChosenRequest): Promise<ChangeAnswer> {
    const path = `${this.collection(version)}${name && `/${name}`}${subresource}${query}`
    const answer = await this.ask(method, path, at ? this.#atVersion(body, name, at) : body, contentType, accept)
    const { name: written, resourceVersion } = objectIn(answer.body.metadata)
    const isWrite = method !== 'GET' && !query.includes('dryRun') && subresource === ''
    if (isWrite && answer.status < 300 && typeof written === 'string' && typeof resourceVersion === 'string')
      this.#versions.set(written, { stale: this.#versions.get(written)?.stale ?? resourceVersion, current: resourceVersion })
    return answer
  }

  #atVersion(body: ChosenRequest['body'], name: string, at: 'current' | 'stale'): ChosenRequest['body'] {
    const resourceVersion = this.#versions.get(name)?.[at]
    return isJsonObject(body) && resourceVersion !== undefined
      ? { ...body, metadata: { ...objectIn(body.metadata), resourceVersion } }
      : body
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + SETTLES_MS; ; await sleep(20)) {
    if (await holds()) return
    if (Date.now() > deadline) throw new Error(`${what}: not after ${SETTLES_MS} ms`)
  }
}
