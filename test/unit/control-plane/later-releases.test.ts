import { expect } from 'chai'
import type { Release } from '../../../src/lifecycle/release.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { type Answer, type Call, inRelease } from '../../support/in-release.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

const objectOf = ({ json }: Answer): AnyObject => json as AnyObject
const post = (call: Call, path: string, body: object): Promise<Answer> => call(path, { method: 'POST', body: JSON.stringify(body) })
const NS = '/api/v1/namespaces/ns'

/** A server of a release with a namespace and a service account. */
const server = <T>(release: Release, ask: (call: Call) => Promise<T>): Promise<T> =>
  inRelease(new MemoryBackend(), release, async call => {
    await post(call, '/api/v1/namespaces', { metadata: { name: 'ns' } })
    return ask(call)
  })

const pod = (spec: object = {}, labels: object = {}): object => ({
  metadata: { name: 'p', labels },
  spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false, ...spec },
})

describe('a server of a later release', () => {
  it('adds the values of matchLabelKeys to the selector of a spread constraint from 1.34 on', async () => {
    const constraint = {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { a: 'b' } },
      matchLabelKeys: ['v'],
    }
    const made = (release: Release) =>
      server(
        release,
        async call =>
          objectOf(await post(call, `${NS}/pods`, pod({ topologySpreadConstraints: [constraint] }, { v: '1' }))).spec
            .topologySpreadConstraints[0].labelSelector,
      )
    expect(await made('1.33')).to.deep.equal({ matchLabels: { a: 'b' } })
    expect(await made('1.34')).to.deep.equal({ matchLabels: { a: 'b' }, matchExpressions: [{ key: 'v', operator: 'In', values: ['1'] }] })
  })

  it('ignores nominatedNodeName of scheduled pods from 1.35 on', async () => {
    const nominated = (release: Release) =>
      server(release, async call => {
        const made = objectOf(await post(call, `${NS}/pods`, pod()))
        const put = (name: string) =>
          call(`${NS}/pods/p/status`, {
            method: 'PATCH',
            headers: { 'content-type': 'application/merge-patch+json' },
            body: JSON.stringify({ status: { nominatedNodeName: name } }),
          })
        expect((await put('one')).status).to.equal(200)
        expect(
          (await post(call, `${NS}/pods/p/binding`, { metadata: { name: 'p', uid: made.metadata.uid }, target: { name: 'n' } })).status,
        ).to.equal(201)
        return [objectOf(await call(`${NS}/pods/p`)).status.nominatedNodeName, (await put('two')).status]
      })
    expect(await nominated('1.34')).to.deep.equal(['one', 200])
    expect(await nominated('1.35')).to.deep.equal([undefined, 422])
  })

  it('warns of quotas that can never be used up and of misleading service fields', async () => {
    const warnings = (release: Release) =>
      server(release, async call => [
        ...(
          await post(call, `${NS}/resourcequotas`, {
            metadata: { name: 'q' },
            spec: { hard: { cpu: '2', 'limits.cpu': '1', 'requests.memory': '1', 'limits.memory': '1' } },
          })
        ).warnings,
        ...(
          await post(call, `${NS}/services`, {
            metadata: { name: 's' },
            spec: { ports: [{ port: 1 }], externalIPs: ['1.2.3.4'], trafficDistribution: 'PreferClose' },
          })
        ).warnings,
      ])
    expect(await warnings('1.34')).to.deep.equal([])
    const since35 = [
      'ResourceQuota cpu (2) should be less than limits.cpu (1)',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ]
    expect(await warnings('1.35')).to.deep.equal(since35)
    expect(await warnings('1.36')).to.deep.equal([
      since35[0],
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      since35[1],
    ])
  })

  it('accepts service names that start with a digit from 1.36 on', async () => {
    const statuses = (release: Release) =>
      server(release, async call => {
        const made = await post(call, `${NS}/services`, { metadata: { name: '1s' }, spec: { ports: [{ port: 1 }] } })
        if (made.status !== 201) return [made.status]
        const put = (subresource: string) =>
          call(`${NS}/services/1s${subresource}`, {
            method: 'PUT',
            body: JSON.stringify({ ...objectOf(made), metadata: { ...objectOf(made).metadata, resourceVersion: '' } }),
          })
        return [made.status, (await put('')).status, (await put('/status')).status]
      })
    expect(await statuses('1.35')).to.deep.equal([422])
    expect(await statuses('1.36')).to.deep.equal([201, 200, 200])
  })

  it('allows lowering the memory of a running container from 1.34 on, and accepts token requests of drivers from 1.35 on', async () => {
    const sized = (memory: string) =>
      pod({ containers: [{ name: 'c', image: 'i', resources: { requests: { memory: '1' }, limits: { memory } } }] })
    const statuses = (release: Release) =>
      server(release, async call => {
        const made = objectOf(await post(call, `${NS}/pods`, sized('9')))
        const smaller = {
          ...made,
          spec: {
            ...made.spec,
            containers: [{ ...made.spec.containers[0], resources: { requests: { memory: '1' }, limits: { memory: '5' } } }],
          },
        }
        const resized = await call(`${NS}/pods/p/resize`, { method: 'PUT', body: JSON.stringify(smaller) })
        const driver = await post(call, '/apis/storage.k8s.io/v1/csidrivers', {
          metadata: { name: 'd' },
          spec: { serviceAccountTokenInSecrets: true },
        })
        return [resized.status, driver.status]
      })
    expect(await statuses('1.33')).to.deep.equal([422, 201])
    expect(await statuses('1.34')).to.deep.equal([200, 201])
    expect(await statuses('1.35')).to.deep.equal([200, 422])
  })

  it('prints service accounts without secrets from 1.35 on', async () => {
    const columns = (release: Release) =>
      server(release, async call => {
        const table = (await call(`${NS}/serviceaccounts`, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }))
          .json as {
          columnDefinitions: { name: string }[]
        }
        return table.columnDefinitions.map(({ name }) => name)
      })
    expect(await columns('1.34')).to.deep.equal(['Name', 'Secrets', 'Age'])
    expect(await columns('1.35')).to.deep.equal(['Name', 'Age'])
  })
})
