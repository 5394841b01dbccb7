import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { backupPath, backupTime, overdue } from '../../../../src/audit/log/backups.ts'
import { RotatingFile, type RotationOptions } from '../../../../src/audit/log/rotating-file.ts'
import { silentLogger } from '../../../../src/lib/log.ts'

const NOW = Date.UTC(2006, 0, 2, 15, 4, 5, 7)
const DAY = 86_400_000

describe('RotatingFile', () => {
  let directory: string
  let file: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-audit-'))
    file = join(directory, 'audit.log')
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  const open = (options: Partial<RotationOptions> = {}): Promise<RotatingFile> =>
    RotatingFile.open({ file, maxBytes: 10, maxAgeDays: 0, maxBackups: 0, compress: false, now: () => NOW, log: silentLogger, ...options })
  const put = async (log: RotatingFile, text: string): Promise<void> => {
    await log.prepare(text.length)
    await log.write(Buffer.from(text))
  }

  it('creates the file and its directory for their owner', async () => {
    file = join(directory, 'a', 'b', 'audit.log')
    await (await open()).close()
    expect([statSync(file).mode & 0o777, statSync(join(directory, 'a')).mode & 0o777]).to.deep.equal([0o600, 0o700])
  })
  it('appends to an existing file, and rotates it before it exceeds the limit', async () => {
    writeFileSync(file, 'old\n')
    chmodSync(file, 0o640)
    const log = await open()
    await put(log, 'one\n')
    await put(log, 'two\n')
    await put(log, '123456789\n')
    await log.close()
    expect(readdirSync(directory).sort()).to.deep.equal([
      'audit-2006-01-02T15-04-05.007.log',
      'audit-2006-01-02T15-04-05.008.log',
      'audit.log',
    ])
    const texts = readdirSync(directory)
      .sort()
      .map(name => readFileSync(join(directory, name), 'utf8'))
    expect(texts).to.deep.equal(['old\none\n', 'two\n', '123456789\n'])
    expect(statSync(file).mode & 0o777, 'as the one before').to.equal(0o640)
  })
  it('refuses a line that is longer than the limit', async () => {
    const log = await open()
    const message = await log.prepare(11).then(String, (error: Error) => error.message)
    expect(message).to.equal('write length 11 exceeds maximum file size 10')
    await log.close()
  })
  it('keeps the configured number of backups, compressed', async () => {
    for (const time of [NOW - 3000, NOW - 2000]) writeFileSync(backupPath(file, time), String(time))
    const log = await open({ maxBackups: 2, compress: true })
    await put(log, '12345678\n')
    await put(log, 'abcdefgh\n')
    await log.close()
    const backups = readdirSync(directory).sort()
    expect(backups).to.deep.equal(['audit-2006-01-02T15-04-03.007.log.gz', 'audit-2006-01-02T15-04-05.007.log.gz', 'audit.log'])
    expect(gunzipSync(readFileSync(join(directory, backups[1] ?? ''))).toString()).to.equal('12345678\n')
  })
  it('refuses symbolic links and special files', async () => {
    const target = join(directory, 'target')
    symlinkSync(target, file)
    expect(await open().then(String, (error: Error) => error.message)).to.include('ELOOP')
    file = directory
    expect(await open().then(String, (error: Error) => error.message)).to.include('EISDIR')
    expect(() => lstatSync(target)).to.throw('ENOENT')
  })

  it('names backups by time', () => {
    expect(backupPath('/a/audit.log', NOW)).to.equal('/a/audit-2006-01-02T15-04-05.007.log')
    expect(backupPath('/a/audit', NOW)).to.equal('/a/audit-2006-01-02T15-04-05.007')
    expect(backupTime('/a/audit.log', 'audit-2006-01-02T15-04-05.007.log.gz')).to.equal(NOW)
    for (const name of ['audit.log', 'audit-x.log', 'other-2006-01-02T15-04-05.007.log', 'audit-2006-01-02T15-04-05.007.log.bak'])
      expect(backupTime('/a/audit.log', name), name).to.equal(undefined)
  })
  it('selects backups by age, number and compression', () => {
    const name = (days: number): string => backupPath('audit.log', NOW - days * DAY)
    const names = [name(1), name(2), `${name(2)}.gz`, name(3), `${name(9)}.gz`, 'other']
    const due = (retention: { maxAgeDays?: number; maxBackups?: number; compress?: boolean }) =>
      overdue('audit.log', names, { maxAgeDays: 0, maxBackups: 0, compress: false, ...retention }, NOW)
    expect(due({})).to.deep.equal({ remove: [], compress: [] })
    expect(due({ maxAgeDays: 2 }).remove).to.deep.equal([name(3), `${name(9)}.gz`])
    expect(due({ maxBackups: 2 }).remove, 'what is there twice counts once').to.deep.equal([name(3), `${name(9)}.gz`])
    expect(due({ maxBackups: 3, compress: true })).to.deep.equal({ remove: [`${name(9)}.gz`], compress: [name(1), name(2), name(3)] })
  })
})
