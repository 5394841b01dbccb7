import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { COMMANDS } from '../../../src/commands/commands.ts'
import { ArgumentError } from '../../../src/lib/arguments.ts'
import { NEWEST_RELEASE } from '../../../src/lifecycle/release.ts'

/** Command lines that lack an argument, or have a wrong one. None of them asks a server or opens a store. */
const WRONG: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  at: [['', 'a moment is required: binnacle at 10m']],
  branch: [
    ['', 'one name is required: binnacle branch NAME'],
    ['a b', 'one name is required: binnacle branch NAME'],
    ['--delete', 'one name is required: binnacle branch NAME'],
    ['--lsit', 'unknown flag: --lsit; did you mean --list?'],
  ],
  console: [
    ['now', 'unexpected argument: now'],
    ['--kubecofnig=a', 'unknown flag: --kubecofnig=a; did you mean --kubeconfig?'],
  ],
  convert: [
    ['--to 1.34', '-f is needed: a file, a folder, or - for standard input'],
    ['-f a', '--to is needed: a release such as 1.37'],
    ['-f a --to 9.9', `--to 9.9: not a release from 1.16 to ${NEWEST_RELEASE}`],
    ['-f a --to 1.34 --write=perhaps', '--write=perhaps: must be true or false'],
    ['-f a --to 1.34 --max-objects=many', '--max-objects many: '],
  ],
  diff: [
    ['', 'an object is required as KIND/NAME, such as deployment/web'],
    ['cm/a', '--from is required: the first of the two moments'],
    ['cm/a --from 1m -o xml', '--output xml: must be diff or json'],
  ],
  export: [
    ['', '--data-dir is required'],
    ['--data-dir a', '--snapshot is required'],
    ['--datadir a', 'unknown flag: --datadir; did you mean --data-dir?'],
  ],
  import: [
    ['-f a', '--data-dir is required'],
    ['--data-dir a', 'one source is required: --snapshot, --kubeconfig or -f'],
    ['--data-dir a -f b --release 9.9', `--release 9.9: not a release from 1.16 to ${NEWEST_RELEASE}`],
  ],
  log: [
    ['', 'an object is required as KIND/NAME, such as deployment/web'],
    ['cm/a --limit 0', '--limit 0: must be a positive number'],
    ['cm/a --limit', 'flag needs an argument: --limit'],
  ],
  merge: [
    ['', 'one name is required: binnacle merge NAME --dry-run'],
    ['a', 'merge: only --dry-run is supported: apply the changes that it shows to the server'],
    ['a --dry-run --output xml', '--output xml: must be text or json'],
  ],
  open: [
    ['', 'one backup is required: binnacle open BACKUP'],
    ['a b', 'one backup is required: binnacle open BACKUP'],
    ['/nowhere/at/all', '/nowhere/at/all: no such file or folder'],
  ],
  show: [
    ['cm', 'an object is required as KIND/NAME, such as deployment/web'],
    ['cm/a', '--at is required: the moment at which the object is shown'],
  ],
  snapshot: [
    ['', 'an action (save, restore or status) and a file are required: binnacle snapshot save FILE'],
    ['save', 'an action (save, restore or status) and a file are required: binnacle snapshot save FILE'],
    ['keep a', 'snapshot keep: must be save, restore or status'],
    ['restore a', '--data-dir is required: a directory without a store'],
  ],
  undo: [['cm/a/b', 'an object is required as KIND/NAME, such as deployment/web']],
  'upgrade-report': [
    ['--from 1.29', '--to is needed: a release such as 1.37'],
    ['--from 1.34 --to 1.29', '--to 1.29 is older than --from 1.34'],
    ['--from 1.29 --to 1.34 -o xml', '--output xml: not one of text, json, sarif, html'],
  ],
  verify: [['', 'one data directory is required: binnacle verify DIR']],
  why: [
    ['', 'audit ids, --last or --list is required'],
    ['--last -n none', '--number none: must be a number from 1 to 1000'],
  ],
}

describe('usage errors of commands', () => {
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
    it(`${name} has test cases`, () => expect(WRONG[name]).not.to.equal(undefined))
  }

  for (const [name, ...flags] of [
    ['verify'],
    ['export', '--snapshot', '/nowhere/s', '--data-dir'],
    ['upgrade-report', '--from=1.29', '--to=1.34', '--data-dir'],
    ['import', '-f=/nowhere', '--data-dir'],
  ] as const)
    it(`${name} reports a file in place of a data directory`, async () => {
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
