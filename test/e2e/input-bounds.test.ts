import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { runImport } from '../../src/commands/import.ts'
import { InputBoundError } from '../../src/lib/bounded-input.ts'
import { runConvert } from '../../src/upgrade/convert-command.ts'
import { DEFAULT_LIMITS } from '../../src/upgrade/input-limits.ts'
import { runReport } from '../../src/upgrade/report-command.ts'
import { serverCommand } from '../support/server-program.ts'
import { tarFile } from '../support/tar-builder.ts'

interface Outcome {
  readonly status: number
  readonly out: string
  readonly err: string
}

const GOOD = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good, namespace: shop}\n'
const deep = (count: number): Buffer => Buffer.alloc(count, '[')
const list = (count: number, item = '{}'): Buffer =>
  Buffer.from(`{"apiVersion":"v1","kind":"List","items":[${Array(count).fill(item).join()}]}`)
const TOO_DEEP = 'it is nested deeper than 10000 levels'

/** Lines of a command, without those that report its progress every few seconds. */
const withoutProgress = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .filter(line => !/^reading .* so far$/.test(line))

describe('limits on the input of commands', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-bounds-'))
    mkdirSync(join(folder, 'given'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function write(name: string, content: string | Buffer): string {
    const path = join(folder, 'given', name)
    writeFileSync(path, content)
    return path
  }
  async function ran(command: (streams: { out(text: string): void; err(text: string): void }) => Promise<number>): Promise<Outcome> {
    let [out, err] = ['', '']
    const status = await command({ out: text => (out += text), err: text => (err += text) })
    return { status, out, err: err.replaceAll(`${join(folder, 'given')}/`, '') }
  }
  const commands: Readonly<Record<string, (path: string, ...flags: string[]) => Promise<Outcome>>> = {
    import: (path, ...flags) => ran(streams => runImport(['-f', path, '--data-dir', join(folder, 'data'), ...flags], streams)),
    convert: (path, ...flags) => ran(streams => runConvert(['-f', path, '--to', '1.33', ...flags], streams)),
    'upgrade-report': (path, ...flags) => ran(streams => runReport(['-f', path, '--from', '1.29', '--to', '1.33', ...flags], streams)),
  }

  /** Files that exceed a bound, with flags that lower it where the file would be large otherwise. */
  const inputs: Readonly<Record<string, { name: string; content: () => string | Buffer; flags?: string[]; says: RegExp }>> = {
    'a file of 20 MiB of brackets': { name: 'deep.json', content: () => deep(20 << 20), says: new RegExp(TOO_DEEP) },
    'objects within objects': { name: 'deep.json', content: () => '{"a":'.repeat(20_000), says: new RegExp(TOO_DEEP) },
    'a list of more values than the default': {
      name: 'list.json',
      content: () => list(DEFAULT_LIMITS.values / 2 + 1),
      says: /it has more than 5000000 values \(--max-values raises the bound\)/,
    },
    'a list of more values than a lower bound': {
      name: 'list.json',
      content: () => list(100),
      flags: ['--max-values', '150'],
      says: /it has more than 150 values \(--max-values raises the bound\)/,
    },
    'many documents': {
      name: 'many.yaml',
      content: () => GOOD + '---\n'.repeat(1_000_001),
      says: /it may have more than 1000000 values, the limit of a YAML file \(--max-values raises the bound\)/,
    },
    'many items in a flow': {
      name: 'many.yaml',
      content: () => `a: [${'b,'.repeat(1_000_001)}]`,
      says: /more than 1000000 values.* \(--max-values raises/,
    },
    'a long text': {
      name: 'long.yaml',
      content: () => `${GOOD}# ${'x'.repeat(33 << 20)}`,
      says: /bytes, more than the 33554432 of a YAML file.* \(--max-file-bytes raises/,
    },
    'a file of more bytes than a lower bound': {
      name: 'long.json',
      content: () => list(100),
      flags: ['--max-file-bytes', '100'],
      says: /it has more than 100 bytes \(--max-file-bytes raises the bound\)/,
    },
  }
  for (const [command, run] of Object.entries(commands))
    for (const [name, { name: file, content, flags = [], says }] of Object.entries(inputs))
      it(`binnacle ${command} reports in one line the limit that ${name} exceeds`, async () => {
        const { status, out, err } = await run(write(file, content()), ...flags)
        const text = command === 'upgrade-report' ? out : err
        expect(text).to.match(says)
        expect(text.split('\n').filter(line => says.test(line))).to.have.length(1)
        expect(status).to.be.greaterThan(0)
      })

  for (const [command, run] of Object.entries(commands)) {
    it(`binnacle ${command} stops at more objects than --max-objects`, async () => {
      const path = write('list.json', list(20, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b"}}'))
      const error = await run(path, '--max-objects', '10').catch((thrown: unknown) => thrown)
      expect(error)
        .to.be.instanceOf(InputBoundError)
        .with.property('message')
        .that.matches(/there are more than 10 objects \(--max-objects raises the bound\)$/)
    })

    it(`binnacle ${command} skips pipes and circular links`, async function () {
      if (process.platform === 'win32') this.skip()
      write('good.yaml', GOOD)
      if (spawnSync('mkfifo', [join(folder, 'given/pipe.yaml')]).status !== 0) this.skip()
      symlinkSync('circle', join(folder, 'given/circle'))
      symlinkSync('.', join(folder, 'given/here'))
      expect((await run(join(folder, 'given'))).status).to.equal(0)
    })

    it(`binnacle ${command} reads a device up to the limit${process.platform === 'win32' ? ' (skipped: there are no devices on Windows)' : ''}`, async function () {
      if (process.platform === 'win32') this.skip()
      const { out, err } = await run('/dev/zero', '--max-file-bytes', '3000000')
      expect(out + err).to.contain('it has more than 3000000 bytes (--max-file-bytes raises the bound)')
    })

    for (const flag of ['max-values', 'max-lines', 'max-minutes'])
      it(`binnacle ${command} rejects a --${flag} that is not a positive number`, async () => {
        for (const value of ['0', '-1', 'x', '1e3', ''])
          expect(await run(write('a.yaml', GOOD), `--${flag}=${value}`).catch((error: Error) => error.message)).to.equal(
            `--${flag} ${value}: must be a number greater than 0`,
          )
      })
  }

  describe('an import', () => {
    const run = (path: string, ...flags: string[]): Promise<Outcome> => commands.import?.(path, ...flags) ?? expect.fail()

    it('summarizes repeated messages', async () => {
      const { err, status } = await run(write('list.json', list(20_000)))
      const lines = withoutProgress(err)
      expect(lines).to.have.length(6)
      expect(lines[0]).to.equal('list.json (item 1): could not be read: it is not an object: it has no apiVersion or no kind')
      expect(lines[5]).to.equal('could not be read: it is not an object: it has no apiVersion or no kind: and 19995 more like it')
      expect(status).to.equal(1)
    })

    it('prints at most --max-lines lines, each no longer than a page', async () => {
      const items = Array.from({ length: 300 }, (_, i) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'a', name: `${i}/${'x'.repeat(100_000)}` },
      }))
      const { err } = await run(write('list.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items })), '--max-lines', '20')
      const lines = withoutProgress(err)
      expect(lines).to.have.length(21)
      expect(lines[20]).to.equal('280 more lines were left out, as 20 are printed (--max-lines raises the bound)')
      expect(Math.max(...lines.map(line => line.length))).to.be.at.most(4097)
    })

    it('applies the limits to an archive, and imports its other files', async () => {
      const files = [
        { name: 'deep.json', bytes: deep(3_000_000) },
        { name: 'list.json', bytes: list(2000) },
        { name: 'long.json', bytes: list(20_000) },
        { name: 'good.yaml', bytes: Buffer.from(GOOD) },
      ]
      const path = write('backup.tar.gz', gzipSync(tarFile(files)))
      const { err, out } = await run(path, '--max-values', '10000', '--max-lines', '10')
      expect(err).to.contain(`backup.tar.gz: deep.json: could not be read: ${TOO_DEEP}\n`)
      expect(err).to.contain('backup.tar.gz: long.json: could not be read: it has more than 10000 values (--max-values raises the bound)\n')
      expect(err).to.contain('and 1995 more like it\n')
      expect(out).to.contain('1 object imported')
    })

    it('stops reading an archive that unpacks to far more than its size suggests', async () => {
      const path = write('bomb.tar.gz', gzipSync(tarFile([{ name: 'a', bytes: Buffer.alloc(3_000_000) }])))
      expect((await run(path, '--max-unpacked-bytes', '1000000')).err).to.contain(
        'bomb.tar.gz: could not be read: it unpacks to far more than texts do, and is read no further (--max-unpacked-bytes raises the bound)\n',
      )
    })

    it('stops reading an archive that consists of headers', async () => {
      const entries = Array.from({ length: 4000 }, (_, i) => ({ name: '@LongLink', type: 'L', bytes: Buffer.from(`name-${i}`) }))
      const path = write('headers.tar.gz', gzipSync(tarFile(entries)))
      expect((await run(path, '--max-unpacked-bytes', '1000000')).err).to.contain('(--max-unpacked-bytes raises the bound)\n')
    })

    it('limits the messages about documents that cannot be read', async () => {
      const { err } = await run(write('bad.yaml', `${'a: [\n---\n'.repeat(50)}${GOOD}`))
      expect(err.split('\n').filter(line => line.includes('could not be read')).length).to.be.at.most(21)
    })

    it('reads an archive from a pipe', async function () {
      if (process.platform === 'win32') this.skip()
      const path = write('backup.tar.gz', gzipSync(tarFile([{ name: 'good.yaml', bytes: Buffer.from(GOOD) }])))
      const command = (await serverCommand()).map(word => `'${word}'`).join(' ')
      const script = `cat '${path}' | ${command} import -f /dev/stdin --data-dir '${join(folder, 'data')}'`
      const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
      expect(stdout, stderr).to.contain('1 object imported')
    })
  })
})
