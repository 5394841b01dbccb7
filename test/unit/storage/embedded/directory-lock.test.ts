import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { runExport } from '../../../../src/commands/export.ts'
import { runImport } from '../../../../src/commands/import.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { type DirectoryLock, lockDirectory } from '../../../../src/storage/embedded/directory-lock.ts'
import { openEmbedded } from '../../../../src/storage/embedded/open-embedded.ts'
import { runReport } from '../../../../src/upgrade/report-command.ts'
import { Store } from '../../../support/backend.ts'
import { bundledProgram } from '../../../support/bundled-program.ts'
import { eventually } from '../../../support/waiting.ts'

const WRITER = await bundledProgram(fileURLToPath(new URL('../../../support/embedded-writer.ts', import.meta.url)))
const canUnshare = process.platform === 'linux' && spawnSync('unshare', ['-pf', '--mount-proc', 'true']).status === 0
const isLinux = process.platform === 'linux'

/** A program that writes to the store of a directory until it ends. */
interface Writer {
  readonly child: ChildProcess
  /** Acknowledged writes. */
  writes(): number
  errors(): string
}

describe('the lock of a store', () => {
  let parent: string
  let dir: string
  let children: ChildProcess[]
  let locks: DirectoryLock[]
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'binnacle-lock-'))
    dir = join(parent, 'store')
    mkdirSync(dir)
    children = []
    locks = []
  })
  afterEach(async () => {
    for (const lock of locks) lock.release()
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(parent, { recursive: true, force: true })
  })

  /** Runs a shell command in which `$WRITE` starts the writer. */
  function run(script: string): Writer {
    let [out, err] = ['', '']
    const child = spawn('sh', ['-c', script], {
      env: { ...process.env, SHIM_COUNT: '/dev/null', WRITE: `${process.execPath} ${WRITER} ${dir}` },
    })
    child.stdout.on('data', (text: Buffer) => (out += text.toString()))
    child.stderr.on('data', (text: Buffer) => (err += text.toString()))
    children.push(child)
    return { child, writes: () => out.split('\n').length - 1, errors: () => err }
  }
  async function writing(script = 'exec $WRITE'): Promise<Writer> {
    const writer = run(script)
    await eventually('it writes, or ends', () => writer.child.exitCode !== null || writer.writes() > 0)
    expect(writer.child.exitCode, writer.errors()).to.equal(null)
    return writer
  }
  async function lock(): Promise<DirectoryLock> {
    const held = await lockDirectory(dir)
    locks.push(held)
    return held
  }
  const refusal = (): Promise<string> =>
    lock().then(
      () => 'it was locked',
      (error: Error) => error.message,
    )

  it('is held by one opener at a time, and the refusal names the holder and what to do', async () => {
    const held = await lock()
    const path = join(dir, 'lock')
    expect(await refusal()).to.match(
      new RegExp(
        `^the store in ${dir} is in use by process ${process.pid} on host ${hostname()} since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z: ` +
          `stop it, or use another directory \\(the lock ${path} ends with its process and must not be removed\\)$`,
      ),
    )
    held.release()
    held.release()
    await lock()
  })

  it('is not held by the text of a former holder', async () => {
    writeFileSync(join(dir, 'lock'), `1 ${hostname()}\n`)
    await lock()
    expect(readFileSync(join(dir, 'lock'), 'utf8')).to.equal(`${process.pid}  ${hostname()}\n`)
  })

  it('is released when its holder is killed', async () => {
    const { child } = await writing()
    expect(await refusal()).to.contain(`in use by process ${child.pid} on host`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await lock()
  })

  it(`is released by a holder that has died and was not waited for${isLinux ? '' : ' (skipped: zombies are recognized by /proc)'}`, async function () {
    if (!isLinux) this.skip()
    await writing(`$WRITE & echo $! > ${parent}/pid; exec sleep 600`)
    const pid = Number(readFileSync(join(parent, 'pid'), 'utf8'))
    process.kill(pid, 'SIGKILL')
    await eventually('it is a zombie', () => /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')))
    // Its other threads may still be ending.
    await eventually('its lock is released', () => refusal().then(said => said === 'it was locked'))
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).to.match(/^State:\s+Z/m)
  })

  it(`is held from another pid namespace, and into it${canUnshare ? '' : ' (skipped: unshare -pf is not permitted)'}`, async function () {
    if (!canUnshare) this.skip()
    const { child } = await writing('exec unshare -pf --kill-child --mount-proc $WRITE')
    expect(await refusal()).to.match(/in use by process \d+ on host/)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await eventually('the namespace ends', () => refusal().then(said => said === 'it was locked'))
    const second = run('exec unshare -pf --kill-child --mount-proc $WRITE')
    await once(second.child, 'exit')
    expect([second.writes(), second.errors()]).to.satisfy(
      ([writes, said]: [number, string]) => writes === 0 && said.includes(`in use by process ${process.pid} on host`),
    )
  })

  it('is kept by a stopped holder, which can write when it continues', async () => {
    const { child, writes } = await writing()
    child.kill('SIGSTOP')
    expect(await refusal()).to.contain(`in use by process ${child.pid} `)
    const second = run('exec $WRITE')
    await once(second.child, 'exit')
    expect(second.writes()).to.equal(0)
    child.kill('SIGCONT')
    const before = writes()
    await eventually('it writes on', () => writes() > before)
  })

  it('is taken by exactly one of several concurrent openers', async () => {
    for (let round = 0; round < 3; round++) {
      const writers = Array.from({ length: 4 }, () => run('exec $WRITE'))
      const ended = (): Writer[] => writers.filter(({ child }) => child.exitCode !== null)
      await eventually('all but one have ended', () => ended().length === 3 && writers.some(({ writes }) => writes() > 0))
      for (const { errors, writes } of ended())
        expect([writes(), errors()]).to.satisfy(([n, said]: [number, string]) => n === 0 && said.includes('is in use by '))
      const [holder] = writers.filter(({ child }) => child.exitCode === null)
      expect(holder?.writes()).to.be.greaterThan(0)
      holder?.child.kill('SIGKILL')
      if (holder) await once(holder.child, 'exit')
      rmSync(dir, { recursive: true })
      mkdirSync(dir)
    }
  })

  for (const [name, lose] of [
    ['removed', (path: string) => rmSync(path)],
    ['replaced', (path: string) => [renameSync(path, `${path}.old`), writeFileSync(path, '')]],
  ] as const)
    it(`whose file is ${name} keeps its holder from writing`, async () => {
      const backend = await openEmbedded({ dir }, systemClock, silentLogger)
      try {
        const store = new Store(backend, '/registry/')
        await store.put('a', 0, 'x')
        lose(join(dir, 'lock'))
        const failed = await store.put('b', 0, 'x').catch((error: Error) => error)
        expect(failed)
          .to.have.property('message')
          .that.contains(`its lock ${join(dir, 'lock')} was removed or replaced; restart the server`)
      } finally {
        await backend.close()
      }
      const again = await openEmbedded({ dir }, systemClock, silentLogger)
      expect(await new Store(again, '/registry/').put('b', 0, 'y'), 'it was not written').not.to.equal(undefined)
      await again.close()
    })

  it('is not created through a symbolic link', async () => {
    symlinkSync(join(parent, 'theirs'), join(dir, 'lock'))
    expect(await refusal()).to.contain('cannot be locked: ELOOP')
    expect(existsSync(join(parent, 'theirs'))).to.equal(false)
  })

  for (const [name, command] of [
    ['import', (data: string) => runImport(['-f', join(data, 'a.yaml'), '--data-dir', data], silent)],
    ['export', (data: string) => runExport(['--data-dir', data, '--snapshot', join(data, 'out.db')], silent)],
    ['upgrade-report', (data: string) => runReport(['--from', '1.29', '--to', '1.33', '--data-dir', data], silent)],
  ] as const)
    it(`is honoured by binnacle ${name}`, async () => {
      const backend = await openEmbedded({ dir }, systemClock, silentLogger)
      try {
        writeFileSync(join(parent, 'a.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n')
        const said = await command(parent).then(
          () => 'it ran',
          (error: Error) => error.message,
        )
        expect(said).to.contain(`the store in ${dir} is in use by process ${process.pid}`)
      } finally {
        await backend.close()
      }
    })
})

const silent = { out: (): void => {}, err: (): void => {} }
