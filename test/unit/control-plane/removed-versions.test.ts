import { expect } from 'chai'
import type { Release } from '../../../src/lifecycle/release.ts'
import type { AnyObject } from '../../support/any-object.ts'
import type { FakeRequest } from '../../support/exchange.ts'
import { type Answer, type Call, inRelease } from '../../support/in-release.ts'
import { cronJob } from '../../support/jobs.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

/** A kind in a removed version, one of the last releases that serves it, and the version that remains. */
interface Removed {
  readonly release: Release
  readonly kind: string
  readonly version: string
  readonly newer: string
  /** Plural, below `namespaces/ns/` for namespaced kinds. */
  readonly path: string
  readonly body: object
  /** The object in the newer version. Default: as written. */
  readonly seen?: object
  readonly warning: string
}

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
/**
 * One metric of each form, in v2 and v2beta1. The one that v1 has as a field comes last, as after a conversion from v1.
 */
const metrics = [
  { type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '5' } } },
  { type: 'Object', object: { describedObject: target, metric: { name: 'depth' }, target: { type: 'Value', value: '7' } } },
  { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '3' } } },
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
]
const flatMetrics = [
  { type: 'Pods', pods: { metricName: 'hits', targetAverageValue: '5' } },
  { type: 'Object', object: { target, metricName: 'depth', targetValue: '7' } },
  { type: 'External', external: { metricName: 'queue', targetAverageValue: '3' } },
  { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 50 } },
]
const behavior = { scaleDown: { selectPolicy: 'Disabled', policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] } }
const scaling = (members: object): object => ({ spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 5, ...members } })

const removed: readonly Removed[] = [
  {
    release: '1.26',
    kind: 'CSIStorageCapacity',
    version: 'storage.k8s.io/v1beta1',
    newer: 'storage.k8s.io/v1',
    path: 'namespaces/ns/csistoragecapacities',
    body: { storageClassName: 'fast', nodeTopology: { matchLabels: { zone: 'a' } }, capacity: '1Gi' },
    warning:
      'storage.k8s.io/v1beta1 CSIStorageCapacity is deprecated in v1.24+, unavailable in v1.27+; use storage.k8s.io/v1 CSIStorageCapacity',
  },
  {
    release: '1.24',
    kind: 'CronJob',
    version: 'batch/v1beta1',
    newer: 'batch/v1',
    path: 'namespaces/ns/cronjobs',
    body: cronJob(),
    warning: 'batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob',
  },
  {
    release: '1.24',
    kind: 'RuntimeClass',
    version: 'node.k8s.io/v1beta1',
    newer: 'node.k8s.io/v1',
    path: 'runtimeclasses',
    body: { handler: 'runc', overhead: { podFixed: { cpu: '1' } }, scheduling: { nodeSelector: { a: 'b' } } },
    warning: 'node.k8s.io/v1beta1 RuntimeClass is deprecated in v1.22+, unavailable in v1.25+',
  },
  {
    release: '1.24',
    kind: 'Event',
    version: 'events.k8s.io/v1beta1',
    newer: 'events.k8s.io/v1',
    path: 'namespaces/ns/events',
    body: { regarding: { kind: 'Pod', name: 'p', namespace: 'ns' }, note: 'n', deprecatedSource: { component: 'c' }, deprecatedCount: 2 },
    warning: 'events.k8s.io/v1beta1 Event is deprecated in v1.22+, unavailable in v1.25+',
  },
  {
    release: '1.24',
    kind: 'EndpointSlice',
    version: 'discovery.k8s.io/v1beta1',
    newer: 'discovery.k8s.io/v1',
    path: 'namespaces/ns/endpointslices',
    body: {
      addressType: 'IPv4',
      ports: [{ name: 'http', protocol: 'TCP', port: 80 }],
      endpoints: [
        {
          addresses: ['10.1.2.3'],
          nodeName: 'n',
          topology: { 'kubernetes.io/hostname': 'n', 'topology.kubernetes.io/zone': 'z', rack: 'r' },
        },
        { addresses: ['10.1.2.4'], topology: { 'kubernetes.io/hostname': 'other' } },
      ],
    },
    seen: {
      addressType: 'IPv4',
      ports: [{ name: 'http', protocol: 'TCP', port: 80 }],
      endpoints: [
        { addresses: ['10.1.2.3'], nodeName: 'n', zone: 'z', deprecatedTopology: { rack: 'r' } },
        { addresses: ['10.1.2.4'], deprecatedTopology: { 'kubernetes.io/hostname': 'other' } },
      ],
    },
    warning: 'discovery.k8s.io/v1beta1 EndpointSlice is deprecated in v1.21+, unavailable in v1.25+; use discovery.k8s.io/v1 EndpointSlice',
  },
  {
    release: '1.24',
    kind: 'PodDisruptionBudget',
    version: 'policy/v1beta1',
    newer: 'policy/v1',
    path: 'namespaces/ns/poddisruptionbudgets',
    body: { spec: { minAvailable: 1, selector: {} } },
    seen: {
      spec: {
        minAvailable: 1,
        selector: { matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }] },
      },
    },
    warning: 'policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+; use policy/v1 PodDisruptionBudget',
  },
  {
    release: '1.25',
    kind: 'HorizontalPodAutoscaler',
    version: 'autoscaling/v2beta2',
    newer: 'autoscaling/v2',
    path: 'namespaces/ns/horizontalpodautoscalers',
    body: scaling({ metrics, behavior }),
    warning:
      'autoscaling/v2beta2 HorizontalPodAutoscaler is deprecated in v1.23+, unavailable in v1.26+; use autoscaling/v2 HorizontalPodAutoscaler',
  },
  {
    release: '1.24',
    kind: 'HorizontalPodAutoscaler',
    version: 'autoscaling/v2beta1',
    newer: 'autoscaling/v2',
    path: 'namespaces/ns/horizontalpodautoscalers',
    body: scaling({ metrics: flatMetrics }),
    seen: scaling({ metrics }),
    warning:
      'autoscaling/v2beta1 HorizontalPodAutoscaler is deprecated in v1.22+, unavailable in v1.25+; use autoscaling/v2 HorizontalPodAutoscaler',
  },
]

const APPLY = { 'content-type': 'application/apply-patch+yaml' }

/** Members of a value that the other has as well. */
function partOf(value: unknown, like: unknown): unknown {
  if (Array.isArray(like)) return Array.isArray(value) ? value.map((item, i) => (i < like.length ? partOf(item, like[i]) : item)) : value
  if (typeof like !== 'object' || like === null || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(like).map(([name, member]) => [name, partOf(Reflect.get(value, name), member)]))
}

const objectOf = ({ json }: Answer): AnyObject => json as AnyObject
/** The object as an item of a list. */
const itemOf = ({ kind: _, apiVersion: __, ...item }: AnyObject): object => item
/** The object without metadata that writes change. */
function content({ metadata, ...object }: AnyObject): object {
  const { resourceVersion: _, managedFields: __, generation: ___, ...rest } = metadata
  return { ...object, metadata: rest }
}

describe('versions removed by later releases', () => {
  for (const { release, kind, version, newer, path, body, seen = body, warning } of removed) {
    const at = (apiVersion: string, name = ''): string => `/apis/${apiVersion}/${path}${name === '' ? '' : `/${name}`}`
    const object = (apiVersion: string, members: object): string =>
      JSON.stringify({ apiVersion, kind, metadata: { name: 'x' }, ...members })
    const with1 = (ask: (call: Call, made: Answer) => Promise<void>): Promise<void> =>
      inRelease(new MemoryBackend(), release, async call => {
        await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'ns' } }) })
        await ask(call, await call(at(version), { method: 'POST', body: object(version, body) }))
      })

    describe(`${version} ${kind} in ${release}`, () => {
      it('is created with a warning and reads back unchanged', () =>
        with1(async (call, made) => {
          expect([made.status, made.warnings], JSON.stringify(made.json)).to.deep.equal([201, [warning]])
          const read = objectOf(await call(at(version, 'x')))
          expect([read.apiVersion, partOf(read, body)]).to.deep.equal([version, body])
        }))

      it('is readable in the newer version and unchanged after a write through it', () =>
        with1(async call => {
          const before = objectOf(await call(at(version, 'x')))
          const read = await call(at(newer, 'x'))
          expect([read.warnings, objectOf(read).apiVersion, partOf(read.json, seen)]).to.deep.equal([[], newer, seen])
          const label = { metadata: { ...objectOf(read).metadata, labels: { a: 'b' } } }
          const put = await call(at(newer, 'x'), { method: 'PUT', body: JSON.stringify({ ...objectOf(read), ...label }) })
          expect(put.status, JSON.stringify(put.json)).to.equal(200)
          const after = content(objectOf(await call(at(version, 'x'))))
          expect(after).to.deep.equal({ ...content(before), metadata: { ...Reflect.get(content(before), 'metadata'), labels: { a: 'b' } } })
        }))

      it('is listed, watched and printed', () =>
        with1(async call => {
          const read = objectOf(await call(at(version, 'x')))
          const list = objectOf(await call(at(version)))
          expect([list.kind, list.apiVersion, list.items]).to.deep.equal([`${kind}List`, version, [itemOf(read)]])
          const event = await call(at(version), { search: '?watch=true&resourceVersion=0' })
          expect(event.json).to.deep.equal({ type: 'ADDED', object: read })
          const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
          const rows = async (apiVersion: string): Promise<unknown> =>
            objectOf(await call(at(apiVersion, 'x'), { headers: { accept } })).rows[0].cells.map((cell: unknown) =>
              /^\d+s$/.test(String(cell)) ? 'age' : cell,
            )
          expect(await rows(version)).to.deep.equal(await rows(newer))
        }))

      it('is applied by two managers, each in its own version', () =>
        inRelease(new MemoryBackend(), release, async call => {
          await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'ns' } }) })
          const apply = (apiVersion: string, manager: string, members: object): Promise<Answer> => {
            const request: FakeRequest = {
              method: 'PATCH',
              search: `?fieldManager=${manager}`,
              headers: APPLY,
              body: object(apiVersion, members),
            }
            return call(at(apiVersion, 'x'), request)
          }
          const first = await apply(version, 'old', body)
          expect(first.status, JSON.stringify(first.json)).to.equal(201)
          const second = await apply(newer, 'new', seen)
          expect(second.status, JSON.stringify(second.json)).to.equal(200)
          const managers = objectOf(second).metadata.managedFields?.map(({ manager, apiVersion }) => `${manager} ${apiVersion}`)
          expect(managers?.sort()).to.deep.equal([`new ${newer}`, `old ${version}`])
          // A field that one manager stops applying is kept while the other applies it.
          expect((await apply(version, 'old', {})).status).to.equal(200)
          expect(partOf((await call(at(newer, 'x'))).json, seen)).to.deep.equal(seen)
        }))
    })
  }

  it('orphan jobs when a cron job is deleted through batch/v1beta1', () =>
    inRelease(new MemoryBackend(), '1.24', async call => {
      await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'ns' } }) })
      const deletedThrough = async (apiVersion: string): Promise<unknown> => {
        const path = `/apis/${apiVersion}/namespaces/ns/cronjobs`
        await call(path, { method: 'POST', body: JSON.stringify({ metadata: { name: 'x' }, ...cronJob() }) })
        return objectOf(await call(`${path}/x`, { method: 'DELETE' })).metadata.finalizers
      }
      expect(await deletedThrough('batch/v1')).to.equal(undefined)
      expect(await deletedThrough('batch/v1beta1')).to.deep.equal(['orphan'])
    }))
})
