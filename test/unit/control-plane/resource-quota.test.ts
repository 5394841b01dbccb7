import { expect } from 'chai'
import { createControlPlane } from '../../../src/control-plane/control-plane.ts'
import { isStatusError } from '../../../src/meta/status.ts'
import type { AnyAccess, AnyObject } from '../../support/any-object.ts'
import { CONFIG_MAPS, NAMESPACES, PODS } from '../../support/builtin-registry.ts'
import { controlPlaneOptions, type GivenOptions } from '../../support/control-plane-options.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { refusalText } from '../../support/test-registry.ts'
import { eventually } from '../../support/waiting.ts'

const START = { address: '192.0.2.1', port: 6443, serviceIP: '10.0.0.1', certificateAuthority: 'PEM' }
const SECRETS = { group: '', resource: 'secrets' }
const QUOTAS = { group: '', resource: 'resourcequotas' }

/** A server with the plugin, and with the controller unless `options` disable it. */
async function open(options: GivenOptions = {}, backend = new MemoryBackend()) {
  const plane = createControlPlane(
    controlPlaneOptions(backend, {
      admission: { plugins: ['ResourceQuota'] },
      controllers: { enabled: new Set(['resourcequota-controller']) },
      ...options,
    }),
  )
  plane.start(START)
  await plane.synced(new AbortController().signal)
  const access: AnyAccess = plane.registry.access()
  const status = async (name = 'q') => (await access.get(QUOTAS, 'ns', name)).status as { hard?: object; used?: Record<string, string> }
  return {
    backend,
    plane,
    access,
    status,
    /** Creates a quota and waits until it is in force. */
    async limit(hard: Record<string, string>) {
      await access.create(QUOTAS, 'ns', { kind: 'ResourceQuota', apiVersion: 'v1', metadata: { name: 'q' }, spec: { hard } })
      await eventually('the quota is counted', async () => (await status()).used !== undefined)
      // Later creates are rejected, so the plugin has observed all earlier ones.
      await access.create(QUOTAS, 'ns', {
        kind: 'ResourceQuota',
        apiVersion: 'v1',
        metadata: { name: 'none' },
        spec: { hard: { secrets: '0' } },
      })
      await eventually('the plugin knows the quotas', async () => {
        const refusal = await refusalText(
          access.create(SECRETS, 'ns', { kind: 'Secret', apiVersion: 'v1', metadata: { generateName: 's-' } }),
        )
        return refusal.includes('exceeded quota: none')
      })
    },
    configMap: (name: string): Promise<AnyObject> =>
      access.create(CONFIG_MAPS, 'ns', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } }),
    uses: (used: Record<string, string>) =>
      eventually(`used: ${JSON.stringify(used)}`, async () => JSON.stringify((await status()).used) === JSON.stringify(used)),
  }
}

async function inNamespace(options: GivenOptions = {}) {
  const server = await open(options)
  await server.access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns' } })
  return server
}

const pod = (name: string, requests: Record<string, string> = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }] },
})

describe('ResourceQuota', () => {
  it('admits no more than the quota of many concurrent creates', async () => {
    const s = await inNamespace()
    await s.limit({ configmaps: '10' })
    const answers = await Promise.allSettled(Array.from({ length: 64 }, (_, i) => s.configMap(`c${i}`)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).to.have.length(10)
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason.message).to.contain('exceeded quota: q, requested: configmaps=1')
    expect((await s.status()).used).to.deep.equal({ configmaps: '10' })
    await s.plane.close()
  })

  it('counts existing objects when a quota is created, and releases deleted ones', async () => {
    const s = await inNamespace()
    await s.configMap('a')
    await s.limit({ configmaps: '1', 'count/configmaps': '1' })
    expect(await s.status()).to.deep.equal({
      hard: { configmaps: '1', 'count/configmaps': '1' },
      used: { configmaps: '1', 'count/configmaps': '1' },
    })
    expect(await refusalText(s.configMap('b'))).to.contain('exceeded quota')
    await s.access.delete(CONFIG_MAPS, 'ns', 'a')
    await s.uses({ configmaps: '0', 'count/configmaps': '0' })
    await s.configMap('b')
    await s.plane.close()
  })

  it('releases the reservation of a failed write', async () => {
    const s = await inNamespace()
    await s.configMap('a')
    await s.limit({ configmaps: '3' })
    expect(await refusalText(s.configMap('a'))).to.contain('already exists')
    await s.uses({ configmaps: '1' })
    await s.plane.close()
  })

  it('counts pods by their requests until they terminate', async () => {
    const s = await inNamespace()
    await s.limit({ 'requests.cpu': '1', pods: '5' })
    expect(await refusalText(s.access.create(PODS, 'ns', pod('a')))).to.contain('failed quota: q: must specify requests.cpu for: c')
    await s.access.create(PODS, 'ns', pod('a', { cpu: '600m' }))
    expect(await refusalText(s.access.create(PODS, 'ns', pod('b', { cpu: '600m' })))).to.contain(
      'exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    )
    await s.access.update(PODS, 'ns', 'a', object => ({ ...object, status: { ...object.status, phase: 'Succeeded' } }), {
      subresource: 'status',
    })
    await s.uses({ pods: '0', 'requests.cpu': '0' })
    await s.plane.close()
  })

  it('applies changed limits immediately', async () => {
    const s = await inNamespace()
    await s.limit({ configmaps: '0' })
    await s.access.update(QUOTAS, 'ns', 'q', quota => ({ ...quota, spec: { hard: { configmaps: '1', secrets: '9' } } }))
    await eventually('the new limits', async () => (await s.status()).used?.secrets !== undefined)
    await s.configMap('a')
    await s.plane.close()
  })

  it('behaves as kube-apiserver alone without the controller', async () => {
    const s = await inNamespace({ controllers: { enabled: new Set() } })
    await s.access.create(QUOTAS, 'ns', {
      kind: 'ResourceQuota',
      apiVersion: 'v1',
      metadata: { name: 'q' },
      spec: { hard: { configmaps: '1' } },
    })
    const status = (hard: string) =>
      s.access.update(QUOTAS, 'ns', 'q', quota => ({ ...quota, status: { hard: { configmaps: hard }, used: { configmaps: '1' } } }), {
        subresource: 'status',
      })
    await s.configMap('a')
    await status('1')
    let n = 0
    await eventually('it is enforced', async () => (await refusalText(s.configMap(`x${n++}`))).includes('exceeded quota'))
    await status('2')
    await s.configMap('b')
    expect((await s.status()).used).to.deep.equal({ configmaps: '2' })
    await s.plane.close()
  })

  it('releases reservations of a server that crashed', async () => {
    const s = await inNamespace({ controllers: { enabled: new Set() } })
    await s.access.create(QUOTAS, 'ns', {
      kind: 'ResourceQuota',
      apiVersion: 'v1',
      metadata: { name: 'q' },
      spec: { hard: { configmaps: '5' } },
    })
    // Reserved, but never stored.
    const status = { hard: { configmaps: '5' }, used: { configmaps: '4' } }
    await s.access.update(QUOTAS, 'ns', 'q', quota => ({ ...quota, status }), { subresource: 'status' })
    const next = await open({}, s.backend)
    await next.uses({ configmaps: '0' })
    await next.plane.close()
    await s.plane.close()
  })

  it('keeps reservations of writes in progress while it recalculates', async () => {
    const s = await inNamespace()
    await s.limit({ configmaps: '1' })
    await s.access.create(PODS, 'ns', pod('p'))
    let release = (): void => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    let isHeld = false
    const write = s.backend.write.bind(s.backend)
    s.backend.write = async (request, signal) => {
      if (JSON.stringify(request).includes('configmaps/ns/slow')) {
        isHeld = true
        await held
      }
      return write(request, signal)
    }
    const slow = s.configMap('slow')
    await eventually('the object is being stored', () => isHeld)
    expect((await s.status()).used).to.deep.equal({ configmaps: '1' })
    // A recalculation happens in between.
    await s.access.update(QUOTAS, 'ns', 'q', quota => ({ ...quota, spec: { hard: { configmaps: '1', pods: '9' } } }))
    await eventually('a count', async () => (await s.status()).used?.pods === '1')
    expect(await refusalText(s.configMap('b'))).to.contain('exceeded quota')
    release()
    await slow
    await s.uses({ configmaps: '1', pods: '1' })
    await s.plane.close()
  })

  it('counts an object once that is stored while its request has not ended', async () => {
    const s = await inNamespace()
    await s.limit({ configmaps: '2' })
    await s.access.create(PODS, 'ns', pod('p'))
    let release = (): void => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    let isStored = false
    const write = s.backend.write.bind(s.backend)
    s.backend.write = async (request, signal) => {
      const written = await write(request, signal)
      if (JSON.stringify(request).includes('configmaps/ns/slow')) {
        isStored = true
        await held
      }
      return written
    }
    const slow = s.configMap('slow')
    await eventually('the object is stored', () => isStored)
    await s.access.update(QUOTAS, 'ns', 'q', quota => ({ ...quota, spec: { hard: { configmaps: '2', pods: '9' } } }))
    await eventually('a count', async () => (await s.status()).used?.pods === '1')
    expect((await s.status()).used).to.deep.equal({ configmaps: '1', pods: '1' })
    release()
    await slow
    await s.plane.close()
  })

  it('rejects with 409 if a quota changes constantly', async () => {
    const s = await inNamespace({ controllers: { enabled: new Set() } })
    await s.access.create(QUOTAS, 'ns', { kind: 'ResourceQuota', apiVersion: 'v1', metadata: { name: 'q' } })
    const change = (n: number) =>
      s.access.update(
        QUOTAS,
        'ns',
        'q',
        quota => ({
          ...quota,
          metadata: { ...quota.metadata, labels: { n: `${n}` } },
          status: { hard: { configmaps: '9' }, used: { configmaps: '0' } },
        }),
        { subresource: 'status' },
      )
    await change(0)
    let probes = 0
    await eventually('it is enforced', async () => {
      await s.configMap(`x${probes++}`)
      return (await s.status()).used?.configmaps !== '0'
    })
    const write = s.backend.write.bind(s.backend)
    let n = 0
    let isChanging = false
    s.backend.write = async (request, signal) => {
      if (!isChanging && JSON.stringify(request).includes('resourcequotas/ns/q')) {
        isChanging = true
        await s.access.update(QUOTAS, 'ns', 'q', quota => ({ ...quota, metadata: { ...quota.metadata, labels: { n: `${++n}` } } }))
        isChanging = false
      }
      return write(request, signal)
    }
    const error: unknown = await s.configMap('a').catch(fault => fault)
    expect(isStatusError(error, 'Conflict')).to.equal(true)
    expect(n).to.equal(4)
    await s.plane.close()
  })
})
