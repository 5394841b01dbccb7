import { expect } from 'chai'
import { runCheck } from '../../../src/check/check-command.ts'
import { ArgumentError } from '../../../src/lib/arguments.ts'

const silent = { out: () => {}, err: () => {} }

/** Command lines that are refused, with a part of the message. */
const REFUSED: readonly (readonly [argv: readonly string[], message: string])[] = [
  [[], '-f is needed'],
  [['-f', '-', '-f', '-'], 'standard input (-) can be read only once'],
  [['-f', '-', '--crds', '-'], 'standard input (-) can be read only once'],
  [['-f', '-', '--watch'], '--watch: standard input cannot be read twice'],
  [['-f', 'https://example.com/a.yaml'], 'URLs are not read'],
  [['-f', 'a', '-o', 'xml'], '--output xml: not one of'],
  [['-f', 'a', '--fail-on', 'never'], '--fail-on never: not one of'],
  [['-f', 'a', '--release', '1.3'], '--release 1.3: not one of'],
  [['-f', 'a', '--webhook', 'a=b'], '--webhook a=b: must be NAME=URL'],
  [['-f', '/dev/null', '-n', 'Bad NS'], '--namespace "Bad NS": a lowercase RFC 1123 label must consist of'],
  [['-f', '/dev/null', '-n', ''], '--namespace "": a lowercase RFC 1123 label must consist of'],
  [['-f', '/dev/null', '--as', ''], '--as "": must be the name of a user'],
  [['-f', '/dev/null', '--field-manager', ''], '--field-manager "": must be the name of a manager'],
  [['-f', '/dev/null', '--field-manager', 'a\u0007'], '--field-manager: Invalid value: '],
]

describe('command line of check', () => {
  for (const [argv, message] of REFUSED)
    it(`is refused: ${argv.join(' ') || 'without arguments'}`, async () => {
      const error = await runCheck(argv, silent).catch((thrown: unknown) => thrown)
      expect(error).to.be.an.instanceOf(ArgumentError)
      expect((error as Error).message).to.include(message)
    })
})
