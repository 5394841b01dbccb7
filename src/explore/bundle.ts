// Exports of dist/explore.cjs, which is loaded when it is used. The server comes from dist/main.cjs.

import { ArgumentError } from '../lib/arguments.ts'
import { errorMessage } from '../lib/error-message.ts'
import { runExplore } from './command/command.ts'
import { explorer, type Server } from './explore.ts'

export { explorer, runProgram as main }

/** Runs the program `binnacle explore`. `server` loads the bundle of the server. */
function runProgram(server: () => Server): void {
  const streams = { out: (text: string) => void process.stdout.write(text), err: (text: string) => void process.stderr.write(text) }
  void runExplore(process.argv.slice(3), streams, server()).then(
    status => {
      process.exitCode = status
    },
    (error: unknown) => {
      streams.err(`Error: ${error instanceof ArgumentError || !(error instanceof Error) ? errorMessage(error) : error.stack}\n`)
      process.exitCode = 2
    },
  )
}
