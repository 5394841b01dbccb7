import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ArgumentError } from '../../../../src/lib/arguments.ts'
import { assetsOptions, runAssets, writeAssets } from '../../../../src/process/assets/write-assets.ts'

describe('binnacle assets', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'it’s assets '))
    for (const name of ['programs', 'path', 'empty']) mkdirSync(join(directory, name))
    for (const name of ['binnacle', 'kube-apiserver']) program('programs', name)
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  /** A program that says its name and its arguments. */
  function program(folder: string, name: string): string {
    const file = join(directory, folder, name)
    writeFileSync(file, `#!/bin/sh\necho ${name} "$@"\n`)
    chmodSync(file, 0o755)
    return file
  }
  const write = (path: string, etcd?: string): string[] => {
    const commands = { binnacle: [join(directory, 'programs/binnacle')], 'kube-apiserver': [join(directory, 'programs/kube-apiserver')] }
    return writeAssets({ directory: join(directory, 'out'), etcd }, { commands, node: process.execPath, path: join(directory, path) })
  }
  const said = (name: string): string => spawnSync(join(directory, 'out', name), ['--a', 'b c'], { encoding: 'utf8' }).stdout

  it('writes a launcher of this program, and links etcd and kubectl if they are found', () => {
    const [etcd, kubectl] = [program('path', 'etcd'), program('path', 'kubectl')]
    expect(write('path').slice(1, 3)).to.deep.equal([`etcd            ${etcd}`, `kubectl         ${kubectl}`])
    expect(said('kube-apiserver')).to.equal('kube-apiserver --etcd-stand-in --a b c\n')
    expect(said('etcd')).to.equal('etcd --a b c\n')
    expect(readlinkSync(join(directory, 'out', 'kubectl'))).to.equal(kubectl)
  })

  it('writes a stand-in for etcd if no etcd is found, or if --etcd requests it', () => {
    const standIn = 'etcd            a stand-in that stores nothing: objects are in the embedded store of kube-apiserver'
    expect(write('empty')).to.include.members([standIn, 'kubectl         none was found: suites that call it fail'])
    expect(said('etcd')).to.equal('binnacle etcd-stand-in --a b c\n')
    program('path', 'etcd')
    expect(write('path', 'stand-in')).to.include(standIn)
  })

  it('can be run again, and links an etcd that was installed since', () => {
    write('empty')
    const etcd = program('path', 'etcd')
    expect(write('path')).to.include(`etcd            ${etcd}`)
    expect(write('empty', 'stand-in')[1]).to.contain('a stand-in')
    expect(said('etcd')).to.equal('binnacle etcd-stand-in --a b c\n')
  })

  it('keeps the programs of other tools', () => {
    mkdirSync(join(directory, 'out'))
    const theirs = program('out', 'etcd')
    expect(write('empty')).to.include(`etcd            ${theirs}`)
    expect(said('etcd')).to.equal('etcd --a b c\n')
    expect(() => write('empty', 'stand-in')).to.throw('is there already, and of another program')
    rmSync(join(directory, 'out', 'kube-apiserver'))
    program('out', 'kube-apiserver')
    expect(() => write('empty')).to.throw('is there already, and of another program')
    expect(readFileSync(join(directory, 'out', 'kube-apiserver'), 'utf8')).to.contain('echo kube-apiserver')
  })

  it('rejects an --etcd that is not a program', () => {
    expect(() => write('empty', join(directory, 'nothing'))).to.throw('nothing is not a program')
    expect(existsSync(join(directory, 'out', 'kube-apiserver'))).to.equal(false)
  })

  it('parses its command line', async () => {
    expect(assetsOptions(['/a'])).to.deep.equal({ directory: '/a', etcd: undefined })
    expect(assetsOptions(['--etcd=stand-in', '/a'])).to.deep.equal({ directory: '/a', etcd: 'stand-in' })
    expect(assetsOptions(['/a', '--etcd', '/e'])).to.deep.equal({ directory: '/a', etcd: '/e' })
    expect(await runAssets(['--help'])).to.equal(0)
    for (const [argv, message] of [
      [[], 'one folder is needed: binnacle assets DIR'],
      [['/a', '/b'], 'one folder is needed: binnacle assets DIR'],
      [[''], 'one folder is needed: binnacle assets DIR'],
      [['--what', '/a'], 'unknown flag: --what'],
      [['--ectd', '/a'], 'unknown flag: --ectd; did you mean --etcd?'],
      [['/a', '--etcd='], '--etcd is empty: set it to a program, or to stand-in'],
    ] as const)
      expect(() => assetsOptions(argv)).to.throw(ArgumentError, message)
  })
})
