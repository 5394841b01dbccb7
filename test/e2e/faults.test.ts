import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Fault, FaultSpec } from '../../src/faults/fault-spec.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'
import { CHURN_SELECTOR } from '../support/churn.ts'
import { goClient } from '../support/clients.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { type FollowingClient, startFollowing } from '../support/following-client.ts'
import { differences } from '../support/following-world.ts'
import { followNaively, type NaiveFollower } from '../support/naive-follower.ts'

/** A fault of those who read, and how a client shows that takes no care. */
interface Reading {
  readonly name: string
  readonly fault: FaultSpec
  /** Why the naive one has ended; absent: it goes on, and knows less than there is. */
  readonly ends?: RegExp
}

const READING: readonly Reading[] = [
  { name: 'the server is too busy', fault: { status: { code: 429, retryAfterSeconds: 1 } }, ends: /^answered 429/ },
  { name: 'the server is not there for them', fault: { status: { code: 503, retryAfterSeconds: 1 } }, ends: /^answered 503/ },
  { name: 'late responses', fault: { delay: '3s' }, ends: /^no answer/ },
  { name: 'connections are cut before anything is done', fault: { cut: 'BeforeCommit' }, ends: /hang up|ECONNRESET|aborted/ },
  { name: 'connections are cut when all is done', fault: { cut: 'AfterCommit' }, ends: /hang up|ECONNRESET|aborted/ },
  { name: 'watches end after two events', fault: { watch: { endAfter: 2 } }, ends: /^the watch has ended/ },
  { name: 'watches end with a 410', fault: { watch: { endAfter: 2, withGone: true } }, ends: /^told 410/ },
  { name: 'expired resource versions', fault: { gone: true }, ends: /^answered 410|^told 410/ },
  { name: 'stale reads', fault: { behind: '20s' } },
]

/** The last of the faults strikes no more than so many requests: informers come to rest, as in the real world. */
const STRIKES = 40
/** client-go lets more and more time pass between its attempts. */
const CAUGHT_UP_MS = 120_000
const PATH = '/api/v1/namespaces/default/configmaps'
const client = goClient()

describe(`faults as seen by client-go's informers and by a naive client${'missing' in client ? ` (skipped: client-go is ${client.missing})` : ''}`, () => {
  let plane: ControlPlane
  let proxy: FaultProxy
  let informers: FollowingClient
  let naive: NaiveFollower | undefined
  let directory: string
  let writes = 0

  before(async function () {
    if ('missing' in client) return this.skip()
    const command = client.ready()
    directory = mkdtempSync(join(tmpdir(), 'faults-'))
    plane = await startControlPlane({ clock: 'running' })
    proxy = await startFaultProxy(plane.url)
    const kubeconfig = join(directory, 'kubeconfig')
    writeFileSync(kubeconfig, plane.kubeconfig.replace(plane.url, `https://127.0.0.1:${proxy.port}`), { mode: 0o600 })
    informers = await startFollowing(command, ['follow', 'default', CHURN_SELECTOR], { KUBECONFIG: kubeconfig })
  })
  afterEach(() => {
    plane?.faults.clear()
    naive?.stop()
    naive = undefined
  })
  after(async () => {
    informers?.kill()
    proxy?.close()
    await plane?.stop()
    if (directory !== undefined) rmSync(directory, { recursive: true })
  })

  /** Objects that come, change and go. */
  const write = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const name = `c${writes % 7}`
      if (writes++ % 5 === 4) await plane.request('DELETE', `${PATH}/${name}`)
      else
        await plane.apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, labels: { side: writes % 2 ? 'left' : 'right' } },
          data: { writes: `${writes}` },
        })
    }
  }
  const versions = async (query = ''): Promise<Record<string, string>> => {
    const { items } = (await plane.request('GET', PATH + query)).body as AnyObject
    return Object.fromEntries(items.map(({ metadata }: AnyObject) => [metadata.name, metadata.resourceVersion]))
  }
  const others = (match: FaultSpec['match'] = {}): FaultSpec['match'] => ({
    agents: ['!binnacle-testing', '!control'],
    resources: ['configmaps'],
    ...match,
  })

  const untilInformersHold = async (): Promise<void> => {
    const [all, selected] = [await versions(), await versions(`?labelSelector=${CHURN_SELECTOR}`)]
    let wrong: string[] = []
    for (const deadline = Date.now() + CAUGHT_UP_MS; ; await sleep(100)) {
      const state = await informers.state()
      wrong = Object.entries(state).flatMap(([who, followed]) =>
        differences(followed, who.startsWith('selected') ? selected : all).map(what => `${who}: ${what}`),
      )
      if (wrong.length === 0 || Date.now() > deadline) break
    }
    expect(wrong).to.deep.equal([])
    const told = Object.values(await informers.state()).flatMap(({ faults }) => faults)
    expect(told).to.deep.equal([])
  }
  const lostBy = async ({ objects }: NaiveFollower): Promise<string[]> =>
    differences({ objects, lists: 1, watches: 1, refused: {}, faults: [] }, await versions())
  const strikes = async (fault: Fault): Promise<void> => plane.until(() => fault.hits > 1)

  it('without faults both clients match the server', async () => {
    await write(10)
    naive = followNaively(plane, 'naive', PATH)
    await naive.begun
    await write(10)
    const held = naive
    await plane.until(async () => (await lostBy(held)).length === 0)
    await untilInformersHold()
    expect(held.ended).to.equal(undefined)
  })

  for (const { name, fault: spec, ends } of READING)
    it(`with ${name} informers recover, and the naive client does not`, async () => {
      await write(5)
      const fault = plane.faults.add({ match: others({ verbs: ['list', 'watch'] }) ?? {}, rate: { count: STRIKES }, ...spec })
      naive = followNaively(plane, 'naive', PATH)
      proxy.reset()
      await naive.begun
      await strikes(fault)
      await write(12)
      if (ends !== undefined) await plane.until(() => naive?.ended !== undefined)
      const lost = await lostBy(naive)
      expect(lost, naive.ended).to.not.be.empty
      if (ends === undefined) expect(naive.ended).to.equal(undefined)
      else expect(naive.ended).to.match(ends)
      // Watches that have been disturbed stay so until they end.
      fault.remove()
      if (spec.behind !== undefined) proxy.reset()
      await untilInformersHold()
    })

  it('with withheld bookmarks informers match the server, and a client that relies on bookmarks learns nothing', async () => {
    const fault = plane.faults.add({ match: others({ verbs: ['watch'] }) ?? {}, watch: { withholdBookmarks: true } })
    naive = followNaively(plane, 'naive', PATH)
    const control = followNaively(plane, 'control', PATH)
    proxy.reset()
    await Promise.all([naive.begun, control.begun])
    await strikes(fault)
    await plane.advance('90s')
    await plane.until(() => control.bookmarks > 0)
    expect(naive.bookmarks).to.equal(0)
    control.stop()
    await write(5)
    await untilInformersHold()
  })

  const WRITER = { 'user-agent': 'naive' }
  const create = (name: string): Promise<number> =>
    plane.request('POST', PATH, { body: { metadata: { name } }, headers: WRITER }).then(
      ({ status }) => status,
      () => 0,
    )

  for (const [cut, isThere] of [
    ['BeforeCommit', false],
    ['AfterCommit', true],
  ] as const)
    it(`with a write cut ${cut} the writer cannot tell the outcome, and informers match the server`, async () => {
      const fault = plane.faults.add({ match: others({ verbs: ['create'] }) ?? {}, cut })
      const name = `cut-${cut.toLowerCase()}`
      expect(await create(name)).to.equal(0)
      expect(fault.hits).to.equal(1)
      expect(Object.keys(await versions()).includes(name)).to.equal(isThere)
      await untilInformersHold()
    })

  it('with a webhook down a write without a retry is lost', async () => {
    const { metadata } = (
      await plane.apply({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'strict' },
        webhooks: [
          {
            name: 'strict.example.dev',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            clientConfig: { url: 'https://127.0.0.1:1/' },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          },
        ],
      })
    )[0] as AnyObject
    const fault = plane.faults.add({ match: others({ verbs: ['create'] }) ?? {}, webhooksDown: ['strict.*'] })
    await plane.until(async () => (await create('admitted')) === 500)
    expect(fault.hits).to.be.above(0)
    expect(await versions()).to.not.have.property('admitted')
    fault.remove()
    await plane.request('DELETE', `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${metadata.name}`)
    await plane.until(async () => (await create('admitted')) === 201)
    await untilInformersHold()
  })

  it('with a lost Lease a holder that ignores the response continues beside the new one', async () => {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
    const { body } = await plane.request('POST', leases, { body: { metadata: { name: 'naive' }, spec: { holderIdentity: 'naive' } } })
    const fault = plane.faults.add({
      match: { verbs: ['update'], resources: ['leases.coordination.k8s.io'], names: ['naive'] },
      lease: 'Lost',
    })
    expect((await plane.request('PUT', `${leases}/naive`, { body })).status).to.equal(409)
    expect(((await plane.request('GET', `${leases}/naive`)).body as AnyObject).spec.holderIdentity).to.equal('binnacle-faults')
    expect(fault.hits).to.equal(1)
    await write(5)
    await untilInformersHold()
  })
})
