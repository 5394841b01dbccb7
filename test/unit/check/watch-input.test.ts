import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { runAtChanges } from '../../../src/check/watch-input.ts'

describe('runs at changes', () => {
  it('runs at once, again after a change, and ends with the signal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'check-watch-'))
    const file = join(folder, 'a.yaml')
    writeFileSync(file, 'a')
    const ended = new AbortController()
    let runs = 0
    try {
      await runAtChanges(
        [file],
        async () => {
          runs++
          if (runs === 1) setTimeout(() => writeFileSync(file, 'b'), 50)
          else ended.abort()
        },
        ended.signal,
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
    expect(runs).to.equal(2)
  })

  for (const [what, named] of [
    ['a folder', 'top'],
    ['a file', 'top/sub/a.yaml'],
  ] as const)
    it(`watches ${what} again that is removed with its folders and created again`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'check-watch-'))
      const file = join(folder, 'top/sub/a.yaml')
      const write = (text: string): void => {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text)
      }
      write('a')
      const ended = new AbortController()
      const seen: string[] = []
      const next: Readonly<Record<string, () => void>> = {
        a: () => rmSync(join(folder, 'top'), { recursive: true }),
        '': () => write('b'),
        b: () => writeFileSync(file, 'c'),
        c: () => ended.abort(),
      }
      try {
        await runAtChanges(
          [join(folder, named)],
          async () => {
            const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
            if (text === seen.at(-1)) return
            seen.push(text)
            setTimeout(() => next[text]?.(), 50)
          },
          ended.signal,
        )
      } finally {
        rmSync(folder, { recursive: true })
      }
      expect(seen.join(' ')).to.equal('a  b c')
    })

  it('does not run at changes beside a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'check-watch-'))
    const file = join(folder, 'a.yaml')
    writeFileSync(file, 'a')
    const ended = new AbortController()
    let runs = 0
    try {
      await runAtChanges(
        [file],
        async () => {
          runs++
          writeFileSync(join(folder, 'report.json'), 'b')
          setTimeout(() => ended.abort(), 300)
        },
        ended.signal,
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
    expect(runs).to.equal(1)
  })
})
