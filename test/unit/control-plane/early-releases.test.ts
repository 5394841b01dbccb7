import { expect } from 'chai'
import type { Release } from '../../../src/lifecycle/release.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { type Answer, type Call, inRelease } from '../../support/in-release.ts'
import { cronJob, job } from '../../support/jobs.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

const NS = '/api/v1/namespaces/ns'
const objectOf = ({ json }: Answer): AnyObject => json as AnyObject

const withNamespace = <T>(
  release: Release,
  ask: (call: Call, create: (path: string, object: object, search?: string) => Promise<Answer>) => Promise<T>,
): Promise<T> =>
  inRelease(new MemoryBackend(), release, async call => {
    const create = (path: string, object: object, search = ''): Promise<Answer> =>
      call(path, { method: 'POST', search, body: JSON.stringify(object) })
    await create('/api/v1/namespaces', { metadata: { name: 'ns' } })
    return ask(call, create)
  })

const pod = (name: string, container: object, spec: object = {}): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
})
const exec = { exec: { command: ['true'] } }

describe('releases before 1.26', () => {
  it('do not have time zones of cron jobs and grace periods of probes before 1.25', async () => {
    const seen = (release: Release) =>
      withNamespace(release, async (_, create) => {
        const job = objectOf(
          await create('/apis/batch/v1/namespaces/ns/cronjobs', { metadata: { name: 'x' }, ...cronJob({ timeZone: 'Etc/UTC' }) }),
        )
        const made = objectOf(await create(`${NS}/pods`, pod('x', { livenessProbe: { ...exec, terminationGracePeriodSeconds: 5 } })))
        return [job.spec.timeZone, made.spec.containers[0].livenessProbe.terminationGracePeriodSeconds]
      })
    expect(await seen('1.24')).to.deep.equal([undefined, undefined])
    expect(await seen('1.25')).to.deep.equal(['Etc/UTC', 5])
  })

  it('do not accept rules in schemas before 1.25', async () => {
    const openAPIV3Schema = { type: 'object', properties: { a: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] } } }
    const names = { plural: 'links', singular: 'link', kind: 'Link', listKind: 'LinkList' }
    const definition = {
      metadata: { name: 'links.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names,
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    }
    const rulesIn = (release: Release) =>
      withNamespace(release, async (_, create) => {
        const made = objectOf(await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition))
        return made.spec.versions[0].schema.openAPIV3Schema.properties.a['x-kubernetes-validations']
      })
    expect(await rulesIn('1.24')).to.equal(undefined)
    expect(await rulesIn('1.25')).to.have.length(1)
  })

  it('ignore fieldValidation before 1.25', async () => {
    const strict = (release: Release) =>
      withNamespace(release, async (_, create) => {
        const unknown = { metadata: { name: 'x' }, other: 1 }
        const made = await create(`${NS}/configmaps`, unknown, '?fieldValidation=Strict')
        const warned = await create(`${NS}/configmaps`, { ...unknown, metadata: { name: 'y' } })
        return [made.status, warned.status, warned.warnings]
      })
    expect(await strict('1.24')).to.deep.equal([201, 201, []])
    expect(await strict('1.25')).to.deep.equal([400, 201, ['unknown field "other"']])
  })

  it('limit DNS search paths to six', async () => {
    const searched = (release: Release, count: number) =>
      withNamespace(release, async (_, create) => {
        const searches = Array.from({ length: count }, (_, i) => `s${i}.example`)
        return (await create(`${NS}/pods`, pod('x', {}, { dnsConfig: { searches } }))).status
      })
    expect(await Promise.all([searched('1.25', 6), searched('1.25', 7), searched('1.26', 7)])).to.deep.equal([201, 422, 201])
  })

  it('track jobs by finalizers, and select pods by labels without a prefix', async () => {
    const made = (release: Release) =>
      withNamespace(release, async (call, create) => {
        const { metadata, spec } = objectOf(await create('/apis/batch/v1/namespaces/ns/jobs', { metadata: { name: 'x' }, ...job() }))
        const body = JSON.stringify({
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { ...metadata, annotations: { 'batch.kubernetes.io/job-tracking': '' } },
          spec,
        })
        const put = await call('/apis/batch/v1/namespaces/ns/jobs/x', { method: 'PUT', body })
        return [metadata.annotations, Object.keys(spec.selector.matchLabels), put.status, objectOf(put).metadata.annotations]
      })
    const mark = { 'batch.kubernetes.io/job-tracking': '' }
    expect(await made('1.24')).to.deep.equal([undefined, ['controller-uid'], 200, undefined])
    expect(await made('1.25')).to.deep.equal([mark, ['controller-uid'], 200, mark])
    expect(await made('1.27')).to.deep.equal([mark, ['batch.kubernetes.io/controller-uid'], 200, mark])
    expect(await made('1.28')).to.deep.equal([undefined, ['batch.kubernetes.io/controller-uid'], 200, mark])
  })

  it('do not allow setting the class of an existing claim', async () => {
    const filledIn = (release: Release) =>
      withNamespace(release, async (call, create) => {
        const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
        const made = objectOf(await create(`${NS}/persistentvolumeclaims`, { metadata: { name: 'x' }, spec }))
        const body = JSON.stringify({ ...made, spec: { ...made.spec, storageClassName: 'fast' } })
        return (await call(`${NS}/persistentvolumeclaims/x`, { method: 'PUT', body })).status
      })
    expect(await Promise.all([filledIn('1.25'), filledIn('1.26')])).to.deep.equal([422, 200])
  })
})
