import { runPrimary } from './primary.ts'
import { runProgram } from './program.ts'

// Entry point of the primary process, which serves no requests itself. It is bundled separately so that it is small and
// starts fast.
runProgram(process.argv.slice(2), { serve: runPrimary })
