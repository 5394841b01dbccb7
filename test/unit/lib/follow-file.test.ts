import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followFile } from '../../../src/lib/follow-file.ts'
import { eventually } from '../../support/waiting.ts'

describe('followFile', () => {
  let directory = ''
  let file = ''
  let over: AbortController
  let events: string[]
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'follow-file-'))
    file = join(directory, 'f')
    over = new AbortController()
    events = []
    replace('one')
  })
  afterEach(() => {
    over.abort()
    rmSync(directory, { recursive: true })
  })

  const replace = (text: string): void => {
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  }
  const told = (...wanted: readonly string[]) => eventually(`it has told ${wanted.join(', ')}`, () => events.join() === wanted.join())
  /** `again`: rejected contents are retried. */
  const follow = (known = 'one', again = false): Promise<void> =>
    followFile(
      {
        file,
        bytes: Buffer.from(known),
        intervalMs: 1,
        async changed(bytes) {
          if (bytes.toString().startsWith('bad')) throw new Error(bytes.toString())
          events.push(bytes.toString())
        },
        failed(error) {
          events.push(error instanceof Error && 'code' in error ? String(error.code) : String(error))
          return again
        },
      },
      over.signal,
    )

  it('reports each new content', async () => {
    const done = follow()
    for (const [n, text] of ['two', 'three', 'one'].entries()) {
      replace(text)
      await told(...['two', 'three', 'one'].slice(0, n + 1))
    }
    over.abort()
    await done
  })

  it('reports a change made before it started', async () => {
    void follow('zero')
    await told('one')
  })

  it('reports a missing file once, and its content when it is back', async () => {
    void follow()
    rmSync(file)
    await told('ENOENT')
    replace('two')
    await told('ENOENT', 'two')
  })

  it('does not retry a content that was rejected', async () => {
    void follow()
    replace('bad')
    await told('Error: bad')
    utimesSync(file, 1, 1)
    replace('good')
    await told('Error: bad', 'good')
  })

  it('retries it at the next read if the callback requests that', async () => {
    void follow('one', true)
    replace('bad')
    await told('Error: bad')
    utimesSync(file, 1, 1)
    await told('Error: bad', 'Error: bad')
    replace('one')
    utimesSync(file, 2, 2)
    replace('good')
    await told('Error: bad', 'Error: bad', 'good')
  })
})
