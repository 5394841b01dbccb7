import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { COMMANDS } from '../../../src/commands/commands.ts'
import { ArgumentError } from '../../../src/lib/arguments.ts'

/** Command lines that lack an argument, or have a wrong one. None of them asks a server or opens a store. */
const WRONG: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  at: [['', 'a moment is needed: binnacle at 10m']],
  branch: [
    ['', 'one name is needed: binnacle branch NAME'],
    ['a b', 'one name is needed: binnacle branch NAME'],
    ['--delete', 'one name is needed: binnacle branch NAME'],
    ['--lsit', 'unknown flag: --lsit; did you mean --list?'],
  ],
  console: [
    ['now', 'unexpected argument: now'],
    ['--kubecofnig=a', 'unknown flag: --kubecofnig=a; did you mean --kubeconfig?'],
  ],
  convert: [
    ['--to 1.34', '-f is needed: a file, a folder, or - for standard input'],
    ['-f a', '--to is needed: a release such as 1.36'],
    ['-f a --to 9.9', '--to 9.9: not a release from 1.16 to 1.36'],
    ['-f a --to 1.34 --write=perhaps', '--write=perhaps: must be true or false'],
    ['-f a --to 1.34 --max-objects=many', '--max-objects many: '],
  ],
  diff: [
    ['', 'an object is named by KIND/NAME, such as deployment/web'],
    ['cm/a', '--from is needed: the moment with which another is compared'],
    ['cm/a --from 1m -o xml', '--output xml: must be diff or json'],
  ],
  export: [
    ['', '--data-dir is needed'],
    ['--data-dir a', '--snapshot is needed'],
    ['--datadir a', 'unknown flag: --datadir; did you mean --data-dir?'],
  ],
  import: [
    ['-f a', '--data-dir is needed'],
    ['--data-dir a', 'one source is needed: --snapshot, --kubeconfig or -f'],
    ['--data-dir a -f b --release 9.9', '--release 9.9: not a release from 1.16 to 1.36'],
  ],
  log: [
    ['', 'an object is named by KIND/NAME, such as deployment/web'],
    ['cm/a --limit 0', '--limit 0: must be a positive number'],
    ['cm/a --limit', 'flag needs an argument: --limit'],
  ],
  merge: [
    ['', 'one name is needed: binnacle merge NAME --dry-run'],
    ['a', 'merge: only --dry-run is built: apply what it shows to the server yourself'],
    ['a --dry-run --output xml', '--output xml: must be text or json'],
  ],
  open: [
    ['', 'one backup is needed: binnacle open BACKUP'],
    ['a b', 'one backup is needed: binnacle open BACKUP'],
    ['/nowhere/at/all', '/nowhere/at/all: there is no such file or folder'],
  ],
  show: [
    ['cm', 'an object is named by KIND/NAME, such as deployment/web'],
    ['cm/a', '--at is needed: the moment at which the object is shown'],
  ],
  snapshot: [
    ['', 'save, restore or status is needed, and the file: binnacle snapshot save FILE'],
    ['save', 'save, restore or status is needed, and the file: binnacle snapshot save FILE'],
    ['keep a', 'snapshot keep: must be save, restore or status'],
    ['restore a', '--data-dir is needed: a directory in which there is no store yet'],
  ],
  undo: [['cm/a/b', 'an object is named by KIND/NAME, such as deployment/web']],
  'upgrade-report': [
    ['--from 1.29', '--to is needed: a release such as 1.36'],
    ['--from 1.34 --to 1.29', '--to 1.29 is older than --from 1.34'],
    ['--from 1.29 --to 1.34 -o xml', '--output xml: not one of text, json, sarif, html'],
  ],
  verify: [['', 'one data directory is needed: binnacle verify DIR']],
  why: [
    ['', 'either audit ids are needed, or --last, or --list'],
    ['--last -n none', '--number none: must be a number from 1 to 1000'],
  ],
}

describe('misuse of commands', () => {
  const quiet = { out: () => {}, err: () => {} }
  const failureOf = async (name: string, argv: readonly string[]): Promise<Error> => {
    try {
      await COMMANDS[name]?.(argv, quiet)
    } catch (error) {
      if (error instanceof Error) return error
    }
    return expect.fail(`${name} ${argv.join(' ')} was carried out`)
  }

  for (const name of Object.keys(COMMANDS)) {
    for (const [line, message] of [['--bogus', 'unknown flag: --bogus'], ['-Z', 'unknown flag: -Z'], ...(WRONG[name] ?? [])] as const)
      it(`${name} ${line}`, async () => {
        const error = await failureOf(name, line === '' ? [] : line.split(' '))
        expect(error).to.be.instanceOf(ArgumentError)
        expect(error.message).to.satisfy((text: string) => text.startsWith(message), error.message)
        expect(error.message).not.to.contain('\n')
      })
    it(`${name} has cases of its own`, () => expect(WRONG[name]).not.to.equal(undefined))
  }

  for (const [name, ...flags] of [
    ['verify'],
    ['export', '--snapshot', '/nowhere/s', '--data-dir'],
    ['upgrade-report', '--from=1.29', '--to=1.34', '--data-dir'],
    ['import', '-f=/nowhere', '--data-dir'],
  ] as const)
    it(`${name} names a file in the place of a data directory`, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
      try {
        const file = join(directory, 'file')
        writeFileSync(file, 'a')
        expect((await failureOf(name, [...flags, file])).message).to.equal(`${file} is a file, not a directory`)
      } finally {
        rmSync(directory, { recursive: true })
      }
    })
})
