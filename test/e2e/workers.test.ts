import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { AnyObject } from '../support/any-object.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createJsonClient, type JsonAnswer, type JsonRequest } from '../support/json-client.ts'
import { configMap, SHARED } from '../support/load.ts'
import { watchResuming } from '../support/resuming-watch.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { serverCommand } from '../support/server-program.ts'
import { twoWires } from '../support/two-wires.ts'
import { eventually, withDelay } from '../support/waiting.ts'
import { webSocketWatch } from '../support/web-socket-watch.ts'
import { isAlive, workerOf, workerPids } from '../support/worker-processes.ts'
import { startTrial } from '../support/writes-under-trouble.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const ROUNDS = 40

const etcdFound = findEtcd() !== undefined
const onEtcd = etcdFound ? describe : describe.skip

/** Waits until the condition holds. */
const until = (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => eventually(what, condition, 20)

/** Observations of a reader. */
interface Readings {
  readonly reads: number
  /** Responses older than a preceding one. */
  readonly backwards: readonly string[]
  readonly unexpected: readonly string[]
}

/**
 * Reads repeatedly, each time over a new connection and so through another worker: no response may be older than the
 * preceding one. `path` receives its version.
 */
function readsForward(url: string, path: (last: number) => string): { stop(): Promise<Readings> } {
  let stopped = false
  const read = async (): Promise<Readings> => {
    const seen = { reads: 0, backwards: [] as string[], unexpected: [] as string[] }
    for (let last = 0; !stopped; ) {
      const client = createJsonClient(url)
      const asked = path(last)
      const { status, body } = await client.ask('GET', asked)
      client.close()
      // No response, as the worker was killed.
      if (status === 0) continue
      if (status !== 200) {
        seen.unexpected.push(`${asked}: ${status} ${JSON.stringify(body)}`)
        continue
      }
      const version = Number(body.metadata.resourceVersion)
      if (version < last) seen.backwards.push(`${asked}: ${version} after ${last}`)
      last = version
      seen.reads++
    }
    return seen
  }
  const done = read()
  return {
    stop() {
      stopped = true
      return done
    },
  }
}

onEtcd(`several workers behind one port${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => {
  let etcd: EtcdServer
  before(async () => {
    etcd = await startEtcd()
  })
  after(() => etcd?.stop())

  describe('that serve', () => {
    let server: ServerProcess
    before(async () => {
      server = await createServerProcess(['--etcd-servers', etcd.url, '--workers', '2', '-v=3'])
      await server.start()
      await until('both serve', () => workerPids(server).size === 2)
    })
    after(() => server?.stop())

    /** Sends a request over a new connection, and so to the next worker. */
    async function ask(method: string, path: string, options?: JsonRequest): Promise<JsonAnswer> {
      const client = createJsonClient(server.url)
      try {
        return await client.ask(method, path, options)
      } finally {
        client.close()
      }
    }
    async function must(method: string, path: string, body?: unknown, contentType?: string): Promise<AnyObject> {
      const answer = await ask(method, path, { body, ...(contentType !== undefined && { contentType }) })
      if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }

    it('serve requests in turn', async () => {
      const answers: JsonAnswer[] = []
      for (let i = 0; i < 8; i++) answers.push(await ask('GET', '/version'))
      const ids = answers.map(({ headers }) => String(headers['audit-id']))
      await until('all are logged', () => ids.every(id => workerOf(server, id) !== undefined))
      const by = ids.map(id => workerOf(server, id))
      expect([1, 2].map(number => by.filter(one => one === number).length)).to.deep.equal([4, 4])
    })

    it('serve writes of one another immediately: no consistent read goes back in time', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const name = `round-${round}`
        const made = await must('POST', CONFIG_MAPS, { ...configMap(name, { n: '1' }), metadata: { name, labels: { round: `${round}` } } })
        const { resourceVersion } = (await must('PATCH', `${CONFIG_MAPS}/${name}`, { data: { n: '2' } }, 'application/merge-patch+json'))
          .metadata
        const version = Number(resourceVersion)
        // Eight connections, four to each worker.
        const selected = `labelSelector=round%3D${round}`
        const reads = await Promise.all(
          [
            `${CONFIG_MAPS}/${name}`,
            `${CONFIG_MAPS}?${selected}`,
            `${CONFIG_MAPS}/${name}?resourceVersion=${resourceVersion}`,
            `${CONFIG_MAPS}?${selected}&resourceVersion=${resourceVersion}`,
            `${CONFIG_MAPS}?${selected}&resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`,
            `${CONFIG_MAPS}?${selected}&resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
            `${CONFIG_MAPS}?${selected}&limit=1`,
            `${CONFIG_MAPS}?${selected}`,
          ].map(path => must('GET', path)),
        )
        for (const read of reads) {
          const [object] = (read.items ?? [read]) as AnyObject[]
          expect([object?.data.n, object?.metadata.resourceVersion]).to.deep.equal(['2', resourceVersion])
          expect(Number(read.metadata.resourceVersion), 'the version of the answer').to.be.at.least(version)
        }
        const exact = await must(
          'GET',
          `${CONFIG_MAPS}?${selected}&resourceVersion=${made.metadata.resourceVersion}&resourceVersionMatch=Exact`,
        )
        expect([exact.metadata.resourceVersion, exact.items[0].data.n]).to.deep.equal([made.metadata.resourceVersion, '1'])
      }
    })

    it('resume watches of one another', async () => {
      const first = await must('POST', CONFIG_MAPS, configMap('watched-0', {}))
      let last = first.metadata.resourceVersion ?? ''
      for (let n = 1; n <= 20; n++) {
        const watch = watchResuming(server.url, CONFIG_MAPS, last)
        const made = await must('POST', CONFIG_MAPS, configMap(`watched-${n}`, {}))
        await watch.until(`watched-${n}`, 5000)
        watch.stop()
        expect(watch.events.map(({ type, name }) => `${type} ${name}`)).to.deep.equal([`ADDED watched-${n}`])
        expect(watch.faults).to.deep.equal([])
        last = made.metadata.resourceVersion ?? ''
      }
    })

    it('continue a list in chunks in any worker', async () => {
      for (let n = 0; n < 30; n++)
        await must('POST', CONFIG_MAPS, { ...configMap(`chunk-${n}`, {}), metadata: { name: `chunk-${n}`, labels: { chunk: 'yes' } } })
      let names: string[] = []
      let page = await must('GET', `${CONFIG_MAPS}?labelSelector=chunk&limit=7`)
      const { resourceVersion } = page.metadata
      await must('POST', CONFIG_MAPS, { ...configMap('chunk-late', {}), metadata: { name: 'chunk-late', labels: { chunk: 'yes' } } })
      for (;;) {
        names = names.concat(page.items.map(({ metadata }: AnyObject) => metadata.name))
        expect(page.metadata.resourceVersion).to.equal(resourceVersion)
        const next = (page.metadata as { continue?: string }).continue
        if (!next) break
        page = await must('GET', `${CONFIG_MAPS}?labelSelector=chunk&limit=7&continue=${encodeURIComponent(next)}`)
      }
      expect(names).to.deep.equal(Array.from({ length: 30 }, (_, n) => `chunk-${n}`).sort())
    })

    it('speak HTTP/2 and HTTP/1.1 over TLS, and upgrade to WebSockets', async () => {
      for (let i = 0; i < 4; i++) {
        const wires = twoWires(server.url, server.secureUrl, server.kubeconfig)
        const answer = await wires.send('HTTP/2', { path: '/api/v1/namespaces/default' })
        wires.close()
        expect([answer.status, JSON.parse(answer.body.toString()).metadata.name]).to.deep.equal([200, 'default'])
        const { head, first } = await webSocketWatch(
          server.secureUrl,
          server.kubeconfig,
          '/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Ddefault',
        )
        expect(head).to.match(/^HTTP\/1\.1 101 /)
        expect(JSON.parse(first)).to.deep.include({ type: 'ADDED' }).and.have.nested.property('object.metadata.name', 'default')
      }
    })

    it('accept tokens that another worker signed', async () => {
      await until(
        'the account has been made',
        async () => (await ask('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200,
      )
      const tokens = await Promise.all(
        Array.from({ length: 4 }, () =>
          must('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', { kind: 'TokenRequest', spec: {} }),
        ),
      )
      for (const { status } of tokens)
        for (let i = 0; i < 2; i++) {
          const review = await must('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
            kind: 'TokenReview',
            spec: { token: status.token },
          })
          expect(review.status).to.deep.include({ authenticated: true })
        }
    })

    it('assign no cluster IP twice', async () => {
      const made = await Promise.all(
        Array.from({ length: 24 }, (_, n) =>
          must('POST', '/api/v1/namespaces/default/services', {
            kind: 'Service',
            metadata: { name: `s${n}` },
            spec: { type: 'NodePort', ports: [{ port: 80 }] },
          }),
        ),
      )
      expect(new Set(made.map(({ spec }) => spec.clusterIP)).size).to.equal(24)
      expect(new Set(made.map(({ spec }) => spec.ports[0].nodePort)).size).to.equal(24)
    })

    it('serve the metrics of all workers', async () => {
      const count = async (): Promise<number> => {
        const text = await (await fetch(`${server.url}/metrics`, { headers: { connection: 'close' } })).text()
        for (const worker of ['1', '2', 'primary'])
          expect(text).to.match(new RegExp(`^process_resident_memory_bytes\\{worker="${worker}"\\} \\d+$`, 'm'))
        expect(text).to.match(/^apiserver_storage_objects\{resource="namespaces"\} 4$/m)
        const line = /^apiserver_request_total\{verb="GET",[^}]*resource="namespaces"[^}]*code="200"[^}]*\} (\d+)$/m
        return Number(line.exec(text)?.[1] ?? 0)
      }
      const before = await count()
      for (let i = 0; i < 10; i++) await must('GET', '/api/v1/namespaces/default')
      expect([(await count()) - before, (await count()) - before]).to.deep.equal([10, 10])
    })

    it('are replaced if they hang, and keep their counters', async () => {
      const restarts = async (): Promise<string | undefined> =>
        /^binnacle_worker_restarts_total (\d+)$/m.exec(
          await (await fetch(`${server.url}/metrics`, { headers: { connection: 'close' } })).text(),
        )?.[1]
      expect(await restarts()).to.equal('0')
      const pid = workerPids(server).get(1) ?? 0
      process.kill(pid, 'SIGTERM')
      await until('another has taken its place', () => workerPids(server).get(1) !== pid)
      expect(await restarts()).to.equal('1')
    })
  })

  it('lose no acknowledged write, and no event of a resumed watch, when workers are killed', async () => {
    const server = await createServerProcess(['--etcd-servers', etcd.url, '--etcd-prefix', '/killed', '--workers', '2'])
    try {
      await server.start()
      await until('both serve', () => workerPids(server).size === 2)
      const trial = await startTrial(server.url, 41)
      const readers = [
        readsForward(server.url, () => `${trial.collection}/${SHARED}`),
        readsForward(server.url, () => trial.collection),
        readsForward(server.url, last => `${trial.collection}?resourceVersion=${last}&resourceVersionMatch=NotOlderThan`),
        readsForward(server.url, last => `${trial.collection}?limit=2&resourceVersion=${last}`),
      ]
      try {
        for (const number of [1, 2, 1]) {
          await sleep(700)
          const before = trial.load.acknowledged()
          const pid = workerPids(server).get(number) ?? 0
          process.kill(pid, 'SIGKILL')
          await until('writes go on', () => trial.load.acknowledged() > before + 50)
          await until('another has taken its place', () => workerPids(server).get(number) !== pid)
        }
        for (const { reads, backwards, unexpected } of await Promise.all(readers.map(reader => reader.stop()))) {
          expect(backwards).to.deep.equal([])
          expect(unexpected).to.deep.equal([])
          expect(reads).to.be.above(20)
        }
        await trial.judge()
        expect(trial.load.failures.length, 'writes that were cut off').to.be.above(0)
        // The other worker was there all the time.
        expect(trial.load.failures.filter(({ status }) => status !== 0)).to.deep.equal([])
        expect(trial.watch.streams(), 'streams of the watch').to.be.above(1)
      } finally {
        for (const reader of readers) void reader.stop()
        trial.close()
      }
    } finally {
      await server.stop()
    }
  })

  it('end with the primary, and start again', async () => {
    const server = await createServerProcess(['--etcd-servers', etcd.url, '--workers', '2'])
    try {
      await server.start()
      await until('both serve', () => workerPids(server).size === 2)
      const pids = [...workerPids(server).values()]
      await server.kill()
      await until('the workers have ended', () => !pids.some(isAlive))
      await server.start()
    } finally {
      await server.stop()
    }
  })

  /** Shuts workers down. Returns false if the requests during the delay took longer than the delay. */
  async function shutDown(delayMs: number): Promise<boolean> {
    const flags = ['--etcd-servers', etcd.url, '--workers', '2', '--shutdown-delay-duration', `${delayMs}ms`]
    const server = await createServerProcess(flags)
    const clients = Array.from({ length: 4 }, () => createJsonClient(server.url))
    try {
      await server.start()
      await until('both serve', () => workerPids(server).size === 2)
      const pids = [...workerPids(server).values()]
      const statuses = async (path: string): Promise<number[]> =>
        (await Promise.all(clients.map(client => client.ask('GET', path)))).map(({ status }) => status)
      await eventually('both are ready', async () => (await statuses('/readyz')).every(status => status === 200))
      const watches = await Promise.all(Array.from({ length: 4 }, () => fetch(`${server.url}${CONFIG_MAPS}?watch=1`)))
      const ended = Promise.all(watches.map(answer => answer.text()))
      // A terminal tells every process of the group, once.
      for (const pid of pids) process.kill(pid, 'SIGINT')
      const begun = performance.now()
      const exited = server.interrupt()
      let readiness: number[] = []
      await eventually('no worker is ready', async () => {
        readiness = await statuses('/readyz')
        return !readiness.includes(200)
      })
      const liveness = await statuses('/livez')
      const isLate = performance.now() - begun > delayMs
      if (!isLate) expect([readiness, liveness]).to.deep.equal([Array(4).fill(500), Array(4).fill(200)])
      expect(await exited).to.equal(0)
      // Cut off inside a chunk, a stream would have been an error.
      await ended
      expect(pids.filter(isAlive)).to.deep.equal([])
      return !isLate
    } finally {
      for (const client of clients) client.close()
      await server.stop()
    }
  }

  it('shut down cleanly: readiness fails first, watches end completely', () => withDelay(1000, shutDown))

  it('end immediately on a second signal', async () => {
    const server = await createServerProcess(['--etcd-servers', etcd.url, '--workers', '2', '--shutdown-delay-duration', '1m'])
    try {
      await server.start()
      await until('both serve', () => workerPids(server).size === 2)
      const pids = [...workerPids(server).values()]
      const exited = server.terminate()
      await until('they are told', () => server.log().includes('shutting down after a delay'))
      server.signal('SIGTERM')
      expect(await exited).to.equal(1)
      await until('the workers have ended', () => !pids.some(isAlive))
    } finally {
      await server.stop()
    }
  })

  const built = join(import.meta.dirname, '..', '..', 'bin', 'binnacle')
  const isBuilt = existsSync(join(built, '..', '..', 'dist', 'primary.cjs'))
  ;(isBuilt ? it : it.skip)(`has a small primary in the built program${isBuilt ? '' : ' (skipped: make build has not run)'}`, async () => {
    const server = await createServerProcess(['--etcd-servers', etcd.url, '--workers=2'], built)
    try {
      await server.start()
      await until('both serve', () => workerPids(server).size === 2)
      expect(server.residentMegabytes(), 'MB of the primary').to.be.below(75)
      expect(await server.terminate()).to.equal(0)
    } finally {
      await server.stop()
    }
  })

  describe('that cannot start', () => {
    async function run(...flags: string[]): Promise<{ code: number; text: string }> {
      const [command, ...first] = await serverCommand()
      const child = spawn(command, [...first, '--data-dir', join(tmpdir(), `binnacle-none-${process.pid}`), ...flags], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let text = ''
      child.stderr.on('data', (data: Buffer) => {
        text += data.toString()
      })
      const [code] = await once(child, 'close')
      return { code, text }
    }

    it('report the error, and end', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
      const malformed = join(directory, 'tokens')
      writeFileSync(malformed, 'a token without a user\n')
      const { code, text } = await run('--etcd-servers', etcd.url, '--workers=2', '--secure-port=0', `--token-auth-file=${malformed}`)
      rmSync(directory, { recursive: true })
      expect(code).to.equal(2)
      expect(text).to.contain(malformed)
      expect(text).to.match(/Error: worker \d ended before it served \(code 2\)/)
    })

    for (const workers of [1, 2])
      it(`report once that a port is in use, and end, as ${workers} of them`, async () => {
        const taken = createServer().listen(0, '127.0.0.1')
        await once(taken, 'listening')
        const address = taken.address()
        const port = typeof address === 'object' && address ? address.port : 0
        const { code, text } = await run('--etcd-servers', etcd.url, `--workers=${workers}`, `--secure-port=${port}`)
        taken.close()
        const errors = text.split('\n').filter(line => line !== '' && !/^\S+ info /.test(line))
        expect([code, ...errors]).to.deep.equal([
          1,
          `Error: 127.0.0.1:${port} is in use by another server: stop it, or choose another port (--secure-port, --console-port, --insecure-port)`,
        ])
      })

    it('report that the embedded store does not support them', async () => {
      expect(await run('--workers=2')).to.deep.equal({
        code: 2,
        text: 'Error: --workers=2 requires --etcd-servers: the embedded store supports one process\n',
      })
    })
  })
})
