import { expect } from 'chai'
import { explorer } from '../../src/explore/explore.ts'
import type { explore as declared, ExploreFailure, ExploreOptions, ExploreTest } from '../../src/explore/types.ts'
import { partsOf } from '../../src/testing/running.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import * as halfDoneRestart from '../examples/races/half-done-restart.ts'
import { call, Informer, WorkQueue } from '../examples/races/informer.ts'
import * as missedDeletion from '../examples/races/missed-deletion.ts'
import * as staleRead from '../examples/races/stale-read.ts'
import { exploreSeeds } from '../support/explore-seeds.ts'

const explore: typeof declared = explorer({ startControlPlane, partsOf })
/** Enough for the examples, which retry within milliseconds. */
const patienceMs = 500
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

const failureOf = async (test: ExploreTest, options: ExploreOptions): Promise<ExploreFailure> =>
  explore(test, options).then(
    found => expect.fail(`nothing found: ${JSON.stringify(found)}`),
    (error: ExploreFailure) => {
      if (error.name !== 'ExploreFailure') throw error
      return error
    },
  )

describe('explore', function () {
  this.timeout(600_000)

  for (const [name, { broken, mended, testOf, options }, lost] of [
    ['a stale read', staleRead, 'persistentvolumeclaims default/data-zk-0: an object was expected'],
    ['a restart half way', halfDoneRestart, 'spec.resources.requests.storage should be "15Gi", but is "10Gi"'],
    ['a missed deletion', missedDeletion, 'persistentvolumeclaims default/data-dc-1: no object was expected'],
  ] as const) {
    it(`finds ${name}, and replays it`, async () => {
      for (const seed of exploreSeeds(3)) {
        const failure = await failureOf(testOf(broken), { ...options, patienceMs, seed })
        expect(failure.kind).to.equal('final state')
        expect(failure.message).to.include(lost)
        expect(failure.faults.length).to.be.below(3)
        expect(failure.story.length).to.be.above(5)
        const again = await failureOf(testOf(broken), { ...options, patienceMs, replay: failure.faultFile })
        expect(again.faults).to.deep.equal(failure.faults)
        expect(await explore(testOf(mended), { ...options, replay: failure.faultFile })).to.include({ runs: 1 })
      }
    })
  }

  it('finds nothing in a sound controller', async () => {
    const { testOf, mended, options } = missedDeletion
    const found = await explore(testOf(mended), { ...options, runs: 20, seed: 5 })
    expect(found).to.deep.include({ runs: 20, seed: 5, writes: 1 })
  })

  it('reports a test that fails undisturbed, and one whose own assertion fails', async () => {
    const fails: ExploreTest = async () => expect.fail('it never works')
    expect((await explore(fails, { runs: 1 }).catch((error: Error) => error)) as Error).to.include({
      name: 'UndisturbedError',
      message: 'the undisturbed run fails (the test): it never works',
    })
    const labels: ExploreTest = async ({ plane, start, settled }) => {
      await start(async client => {
        const maps = new Informer(client, CONFIG_MAPS, ({ metadata }) => queue.add(metadata.name))
        const queue = new WorkQueue(client.signal, async name => {
          const map = maps.objects.get(name)
          if (map?.data?.wanted !== 'yes' || map.metadata.labels?.seen === 'yes') return
          // It ignores that the request may fail.
          await client.request('PATCH', `${CONFIG_MAPS}/${name}`, { body: { metadata: { labels: { seen: 'yes' } } } })
        })
        await maps.start()
        queue.start()
      })
      await call(plane, 'POST', CONFIG_MAPS, { metadata: { name: 'a' }, data: { wanted: 'yes' } })
      await settled()
      const map = await call(plane, 'GET', `${CONFIG_MAPS}/a`)
      expect(map?.metadata.labels?.seen).to.equal('yes')
    }
    const failure = await failureOf(labels, { patienceMs: 300 })
    expect(failure.kind).to.equal('the test')
    expect(failure.faults).to.have.length(1)
    expect(failure.faults[0]?.match?.verbs).to.deep.equal(['patch'])
  })

  it('reports a write storm, and an invariant that is broken', async () => {
    const storms: ExploreTest = async ({ plane, start, settled }) => {
      await start(async client => {
        const maps = new Informer(client, CONFIG_MAPS, ({ metadata }) => queue.add(metadata.name))
        const queue = new WorkQueue(client.signal, async name => {
          const map = maps.objects.get(name)
          if (map?.data?.wanted !== 'yes' || map.metadata.labels?.seen !== undefined) return
          const { status } = await client.request('PUT', `${CONFIG_MAPS}/${name}`, {
            body: { ...map, metadata: { ...map.metadata, labels: { seen: 'yes' } } },
          })
          for (let i = 0; status !== 200 && i < 20; i++)
            await client.request('PATCH', `${CONFIG_MAPS}/${name}`, { body: { metadata: { labels: { seen: 'yes' } } } })
        })
        await maps.start()
        queue.start()
      })
      await call(plane, 'POST', CONFIG_MAPS, { metadata: { name: 'a' }, data: { wanted: 'yes' } })
      await settled()
    }
    const failure = await failureOf(storms, { patienceMs, seed: 2 })
    expect([failure.kind, failure.message.split('\n')[0]]).to.deep.equal(['write storm', failure.message.split('\n')[0]])
    expect(failure.message).to.match(/the controller wrote \d+ times, in the undisturbed run 1 times/)
    const broken = await failureOf(storms, {
      patienceMs,
      seed: 2,
      invariant: async plane => {
        const writes = plane.requests.filter(({ user, verb }) => user.startsWith('controller-') && verb === 'patch').length
        if (writes > 0) throw new Error('it patches')
      },
    })
    expect([broken.kind, broken.message.includes('it patches')]).to.deep.equal(['an invariant', true])
  })

  it('accepts any state after a deletion that the controller had not seen yet, and no other one', async () => {
    const SECRETS = '/api/v1/namespaces/default/secrets'
    /** Deletes the secret `given` of a config map that is deleted. The careless one creates another before its finalizer. */
    const testOf =
      (isCareless: boolean): ExploreTest =>
      async ({ plane, start, settled }) => {
        await start(async client => {
          const maps = new Informer(client, CONFIG_MAPS, ({ metadata }) => queue.add(metadata.name))
          const queue = new WorkQueue(client.signal, async name => {
            const map = maps.objects.get(name)
            if (map?.data?.wanted !== 'yes') return
            const { finalizers, deletionTimestamp, uid } = map.metadata
            const finish = async (given: string[]): Promise<void> =>
              void (await call(client, 'PATCH', `${CONFIG_MAPS}/${name}`, { metadata: { uid, finalizers: given } }, [404]))
            if (deletionTimestamp === undefined && finalizers === undefined) {
              if (isCareless) await call(client, 'POST', SECRETS, { metadata: { name: 'early' } }, [409])
              await finish(['example.dev/cleanup'])
            }
            if (deletionTimestamp === undefined || finalizers === undefined) return
            for (const secret of ['given', 'early']) await call(client, 'DELETE', `${SECRETS}/${secret}`, undefined, [404])
            await finish([])
          })
          await maps.start()
          queue.start()
        })
        await call(plane, 'POST', SECRETS, { metadata: { name: 'given' } })
        await call(plane, 'POST', CONFIG_MAPS, { metadata: { name: 'a' }, data: { wanted: 'yes' } })
        await settled()
      }
    const match = { users: ['controller-*'], verbs: ['patch'], resources: ['configmaps'], namespaces: ['default'], names: ['a'] }
    const options: ExploreOptions = { patienceMs, replay: [{ match, rate: { skip: 0, count: 1 }, writer: 'Deletes' }] }
    expect(await explore(testOf(false), options)).to.include({ runs: 1 })
    const failure = await failureOf(testOf(true), options)
    expect(failure.message).to.include('secrets default/early: no object was expected, there is an object')
    expect(failure.story.join('\n')).to.include('another client deletes the object right before')
  })

  describe('with a controller that requeues by time', () => {
    const REQUEUE_MS = 500
    /**
     * Labels a config map as begun, and as ended some time later. The forgetful one only ends what it has begun since
     * its start.
     */
    const testOf =
      (isForgetful: boolean): ExploreTest =>
      async ({ plane, start, settled }) => {
        await start(async client => {
          const maps = new Informer(client, CONFIG_MAPS, ({ metadata }) => queue.add(metadata.name))
          const due = new Map<string, number>()
          const timed = new Set<string>()
          const label = (name: string, key: string): Promise<unknown> =>
            call(client, 'PATCH', `${CONFIG_MAPS}/${name}`, { metadata: { labels: { [key]: 'yes' } } }, [404])
          const queue = new WorkQueue(client.signal, async name => {
            const map = maps.objects.get(name)
            const { begun, ended } = map?.metadata.labels ?? {}
            if (map?.data?.wanted !== 'yes' || ended === 'yes') return
            const now = performance.now()
            if (begun !== 'yes') await label(name, 'begun')
            else if (isForgetful && !due.has(name)) return
            const at = due.get(name) ?? now + REQUEUE_MS
            due.set(name, at)
            if (now >= at) await label(name, 'ended')
            else if (!timed.has(name)) {
              timed.add(name)
              const goOn = (): void => {
                timed.delete(name)
                queue.add(name)
              }
              setTimeout(goOn, at - now).unref()
            }
          })
          await maps.start()
          queue.start()
        })
        await call(plane, 'POST', CONFIG_MAPS, { metadata: { name: 'a' }, data: { wanted: 'yes' } })
        await settled()
      }

    it('awaits it, and finds nothing if it is sound', async () => {
      const lines: string[] = []
      const found = await explore(testOf(false), { patienceMs: 700, runs: 16, seed: 2, log: line => lines.push(line) })
      expect(found).to.deep.include({ writes: 2, unrepeated: [] })
      expect(lines.join('\n')).to.match(/the controller goes on by itself after up to \d+ ms at rest/)
    })

    it('finds that it forgets to requeue after a restart', async () => {
      const failure = await failureOf(testOf(true), { patienceMs: 700, seed: 2 })
      expect(failure.message).to.include('configmaps default/a: metadata.labels.ended should be "yes", but is unset')
      expect(failure.faults).to.have.length(1)
      expect(failure.story.join('\n')).to.include('the controller is restarted')
    })

    it('reports nothing if it requeues later than the first run waits', async () => {
      const found = await explore(testOf(false), { patienceMs: 200, runs: 16, seed: 2 })
      expect(found.runs).to.equal(16)
    })
  })

  it('rejects invalid options', async () => {
    const rejected = await explore(async () => {}, { runs: -1 }).catch((error: Error) => error)
    expect(rejected).to.be.instanceOf(RangeError).with.property('message', 'runs: must be a non-negative integer, got -1')
  })
})
