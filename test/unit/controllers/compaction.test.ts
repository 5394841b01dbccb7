import { expect } from 'chai'
import { compactHistory, newStore } from '../../../src/controllers/compaction.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { BackendError } from '../../../src/storage/backend.ts'
import { key } from '../../../src/storage/revision.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { eventually } from '../../support/waiting.ts'

/** A store that records its compactions: the current revision, and the compacted one. */
function recorded() {
  const backend = new MemoryBackend()
  const compactions: number[] = []
  const compact = backend.compact.bind(backend)
  backend.compact = async (before, signal) => {
    compactions.push(before)
    await compact(before, signal)
  }
  return { backend, compactions }
}
const FIRST = key('/registry/binnacle/x')
const put = (backend: MemoryBackend) => backend.apply([{ key: key('/registry/x/a'), value: Buffer.from('x') }])

const every2ms = { logger: silentLogger, intervalMs: 2, clock: systemClock }

describe('compaction', () => {
  it('drops history older than one interval, but never the latest revision', async () => {
    const { backend, compactions } = recorded()
    const end = new AbortController()
    const seen: number[] = []
    backend.before = call => {
      if (call === 'currentRevision') seen.push(put(backend))
    }
    const done = compactHistory({ ...every2ms, backend }, end.signal)
    await eventually('three compactions', () => compactions.length >= 3)
    end.abort()
    await done
    expect(compactions.slice(0, 3)).to.deep.equal(seen.slice(0, 3))
  })

  it('logs once that the user has no permission to compact', async () => {
    const backend = new MemoryBackend()
    let denied = 0
    backend.compact = async () => {
      denied++
      throw new BackendError('denied', 'etcdserver: permission denied')
    }
    const end = new AbortController()
    const lines: string[] = []
    const done = compactHistory(
      { ...every2ms, backend, logger: { ...silentLogger, info: line => void lines.push(line), warn: line => void lines.push(line) } },
      end.signal,
    )
    await eventually('three refusals', () => denied >= 3)
    end.abort()
    await done
    expect(lines).to.deep.equal(['this server does not compact the store: its user has no permission to write compact_rev_key'])
    const dropOfNew = newStore(backend, FIRST, new AbortController().signal)
    expect(await dropOfNew()).to.equal(undefined)
  })

  it('drops the history of the initial objects of a new store, and nothing of a used one', async () => {
    const { backend, compactions } = recorded()
    const { signal } = new AbortController()
    const dropOfNew = newStore(backend, FIRST, signal)
    await new Promise(setImmediate)
    put(backend)
    const filled = put(backend)
    await dropOfNew()
    expect(compactions).to.deep.equal([filled])
    const dropOfUsed = newStore(backend, FIRST, signal)
    put(backend)
    await dropOfUsed()
    expect(compactions).to.deep.equal([filled])
  })

  it('treats a store as new if it has only the key that is written first', async () => {
    const { backend, compactions } = recorded()
    const { signal } = new AbortController()
    backend.apply([{ key: FIRST, value: Buffer.from('x') }])
    const drop = newStore(backend, FIRST, signal)
    await new Promise(setImmediate)
    await drop()
    expect(compactions).to.deep.equal([2])
    put(backend)
    await newStore(backend, FIRST, signal)()
    expect(compactions).to.deep.equal([2])
  })

  it('continues after a failure', async () => {
    const { backend, compactions } = recorded()
    const end = new AbortController()
    const warnings: string[] = []
    backend.down = true
    const done = compactHistory({ ...every2ms, backend, logger: { ...silentLogger, warn: text => void warnings.push(text) } }, end.signal)
    await eventually('it fails', () => warnings.length > 1)
    expect(warnings[0]).to.equal('cannot compact the store')
    backend.down = false
    await eventually('it compacts', () => compactions.length > 0)
    end.abort()
    await done
  })

  it('ends immediately when its signal aborts during a delay', async () => {
    const end = new AbortController()
    const done = compactHistory({ ...every2ms, backend: new MemoryBackend(), intervalMs: 60_000 }, end.signal)
    end.abort()
    await done
  })
})
