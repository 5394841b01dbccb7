import { runPrimary } from './primary.ts'
import { runProgram } from './program.ts'

// The primary of several workers alone, which serves nothing itself: bundled apart, it is small and starts at once.
runProgram(process.argv.slice(2), { serve: runPrimary })
