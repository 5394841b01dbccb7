import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Json, JsonObject } from '../../src/api/meta/object.ts'
import { type ControlPlane, createControlPlane } from '../../src/control-plane/control-plane.ts'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import { StatusError } from '../../src/meta/status.ts'
import { apiHandler } from '../support/api-handler.ts'
import { bodySamples } from '../support/body-samples.ts'
import { controlPlaneOptions } from '../support/control-plane-options.ts'
import { FakeExchange, type FakeRequest } from '../support/exchange.ts'
import { MemoryBackend } from '../support/memory-backend.ts'
import { oddValue, patchAt, pathsOf, textOf, withAt } from '../support/mutate-value.ts'
import { eventually, patience } from '../support/waiting.ts'

/** Requests of each form; `make fuzz COUNT=100000` for many. */
const COUNT = Number(process.env.MUTATED_BODIES ?? 4000) / 10
const SEED = Number(process.env.MUTATION_SEED ?? 1)

const text = (more: object = {}) => ({ type: 'string', ...more })
const spec = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991, multipleOf: 1, default: 3 },
    ratio: { type: 'number', multipleOf: 0.1, exclusiveMinimum: true, minimum: -5 },
    port: { 'x-kubernetes-int-or-string': true, default: 80 },
    mail: text({ format: 'email' }),
    uri: text({ format: 'uri' }),
    when: text({ format: 'date-time' }),
    bytes: text({ format: 'byte' }),
    wait: text({ format: 'duration', nullable: true }),
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', maxItems: 5, items: text({ enum: ['a', 'b'] }) },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      maxItems: 5,
      items: { type: 'object', required: ['name'], properties: { name: text(), count: { type: 'integer', format: 'int64' } } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    inner: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    map: { type: 'object', maxProperties: 5, additionalProperties: { type: 'number', multipleOf: 3 } },
  },
  'x-kubernetes-validations': [
    { rule: 'self.size > 0 && (!has(self.ratio) || self.ratio < 1e300)' },
    { rule: '!has(self.tags) || self.tags.all(t, t != "c")' },
  ],
}
const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' }
const gadgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names,
    versions: ['v1', 'v2'].map(name => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: {
        openAPIV3Schema: { type: 'object', properties: { spec, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
      },
      subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
      additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    })),
  },
}
const gadget = {
  apiVersion: 'example.com/v1',
  kind: 'Gadget',
  metadata: { name: 'g', labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['example.com/f'] },
  spec: {
    size: 3,
    ratio: 0.5,
    port: 'http',
    mail: 'a@example.com',
    when: '2026-01-02T03:04:05Z',
    tags: ['a'],
    parts: [{ name: 'x', count: 1 }],
    free: { any: [1, { b: 2 }] },
    inner: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n', labels: { l: 'm' } } },
    map: { k: 3 },
  },
}

interface Target {
  readonly collection: string
  readonly name: string
  readonly subresources: readonly string[]
  readonly object: JsonObject
}
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const GADGETS = '/apis/example.com/v1/namespaces/default/gadgets'
const subresourcesOf = (kind: string): string[] =>
  kind === 'ConfigMap' || kind === 'Event' || kind === 'Lease' ? [''] : kind === 'Deployment' ? ['', '/status', '/scale'] : ['', '/status']
const targets: readonly Target[] = [
  ...bodySamples.map(({ path, object }) => ({
    collection: path,
    name: (object.metadata as { name: string }).name,
    subresources: subresourcesOf(object.kind),
    object: object as JsonObject,
  })),
  { collection: GADGETS, name: 'g', subresources: ['', '/status', '/scale'], object: gadget as unknown as JsonObject },
  {
    collection: GADGETS.replace('/v1/', '/v2/'),
    name: 'g2',
    subresources: ['', '/scale'],
    object: { ...gadget, apiVersion: 'example.com/v2', metadata: { name: 'g2' } } as unknown as JsonObject,
  },
]

/** How exceptions of JavaScript sound. */
const OURS =
  /Cannot (?:read|convert|mix|set|destructure|create|assign)|is not (?:a function|iterable|defined|extensible|a constructor)|undefined|\[object |Maximum|Invalid (?:array|string|time)|NaN/

describe('objects with odd values', function () {
  this.timeout(300_000 + COUNT * 40)
  const backend = new MemoryBackend()
  let plane: ControlPlane
  before(async () => {
    plane = createControlPlane(controlPlaneOptions(backend))
    await plane.synced(patience())
    plane.start({ address: '192.0.2.1', port: 6443, serviceIP: '10.0.0.1', certificateAuthority: 'PEM' })
    await eventually('the namespace is there', async () => (await ask('/api/v1/namespaces/default', {})).status === 200)
    const made = await ask(DEFINITIONS, { method: 'POST', body: textOf(gadgets) })
    expect(made.status, made.told).to.equal(201)
    const status = {
      status: {
        acceptedNames: names,
        conditions: [{ type: 'Established', status: 'True', lastTransitionTime: null, reason: 'r', message: 'm' }],
        storedVersions: ['v1'],
      },
    }
    const path = `${DEFINITIONS}/gadgets.example.com/status`
    expect(
      (await ask(path, { method: 'PATCH', body: JSON.stringify(status), headers: { 'content-type': 'application/merge-patch+json' } }))
        .status,
    ).to.equal(200)
    await eventually('gadgets are served', async () => (await ask(GADGETS, {})).status === 200)
  })
  after(() => plane.close())

  async function ask(
    url: string,
    { headers = { 'content-type': 'application/json' }, ...request }: FakeRequest,
  ): Promise<{ status: number; told: string; json: () => Json }> {
    const [path = '', search = ''] = url.split('?')
    const exchange = new FakeExchange(path, { ...request, search, headers })
    try {
      await apiHandler(plane.api)(exchange)
      return { status: exchange.status, told: exchange.text, json: () => exchange.json as Json }
    } catch (error) {
      if (error instanceof StatusError) return { status: error.code, told: `${error.status.message}`, json: () => null }
      return { status: 0, told: error instanceof Error ? (error.stack ?? error.message) : String(error), json: () => null }
    }
  }

  type Form = (live: Json, path: readonly string[], value: Json, target: Target) => [request: FakeRequest, search: string]
  const patch = (type: string, body: Json): FakeRequest => ({
    method: 'PATCH',
    headers: { 'content-type': `application/${type}` },
    body: textOf(body),
  })
  const forms: Record<string, Form> = {
    'merge patches': (_live, path, value) => [patch('merge-patch+json', patchAt(path, value)), ''],
    'strategic merge patches': (_live, path, value) => [patch('strategic-merge-patch+json', patchAt(path, value)), ''],
    'JSON patches': (_live, path, value) => {
      const pointer = path.map(part => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
      const op = value === null ? { op: 'remove', path: pointer } : { op: 'replace', path: pointer, value }
      return [patch('json-patch+json', [op]), '']
    },
    updates: (live, path, value) => [{ method: 'PUT', body: textOf(withAt(live, path, value)) }, ''],
    applies: (_live, path, value, { object }) => [patch('apply-patch+yaml', withAt(object, path, value)), 'fieldManager=m&force=true'],
    creates: (_live, path, value, { object }) => [{ method: 'POST', body: textOf(withAt(object, path, value)) }, ''],
  }

  for (const [what, make] of Object.entries(forms))
    it(`${COUNT} ${what}: none causes an internal error, and every list can be read`, async () => {
      const random = seededRandom(SEED)
      const wrong: string[] = []
      const seen = new Map<number, number>()
      for (let i = 0; i < COUNT && wrong.length < 5; i++) {
        const target = targets[i % targets.length] as Target
        const { collection, name, object } = target
        const subresource = what === 'creates' ? '' : (target.subresources[Math.floor(random() * target.subresources.length)] as string)
        const at = `${collection}/${name}${subresource}`
        const { status: found, json } = await ask(at, {})
        if (found === 404) await ask(collection, { method: 'POST', body: textOf(object) })
        const live = found === 200 ? json() : object
        const paths = pathsOf(what === 'applies' || what === 'creates' ? object : live)
        const path =
          random() < 0.25
            ? [['kind'], ['apiVersion'], ['metadata'], ['spec'], ['metadata', 'managedFields']][Math.floor(random() * 5)]
            : paths[Math.floor(random() * paths.length)]
        const [request, search] = make(live, path as readonly string[], oddValue(random), target)
        const dry = random() < 0.7 ? 'dryRun=All' : ''
        const { status, told } = await ask(`${what === 'creates' ? collection : at}?${[search, dry].filter(Boolean).join('&')}`, request)
        seen.set(status, (seen.get(status) ?? 0) + 1)
        if (status === 0 || (status === 500 && OURS.test(told))) wrong.push(`${status} ${request.method} ${at} ${request.body}\n${told}`)
        if (i % 50 === 0) await sleep(0)
      }
      expect(wrong.join('\n\n')).to.equal('')
      for (const { collection } of targets) {
        const { status, told } = await ask(collection, {})
        expect(status, told).to.equal(200)
        for (const item of (JSON.parse(told) as { items: { metadata: { name: string } }[] }).items)
          expect(item.metadata.name).to.be.a('string')
      }
      expect(seen.get(200) ?? seen.get(201), JSON.stringify([...seen])).to.be.greaterThan(0)
    })
})
