import { runConvert } from '../upgrade/convert-command.ts'
import { runReport } from '../upgrade/report-command.ts'
import { runConsole } from './console.ts'
import { runExport } from './export.ts'
import { runDiff } from './history/diff.ts'
import { runLog } from './history/log.ts'
import { runShow } from './history/show.ts'
import { runUndo } from './history/undo.ts'
import { runImport } from './import.ts'
import { runAt } from './mounts/at.ts'
import { runBranch } from './mounts/branch.ts'
import { runMerge } from './mounts/merge.ts'
import { runOpen } from './open.ts'
import { runSnapshot } from './snapshot.ts'
import { runVerify } from './verify.ts'
import { runWhy } from './why/why.ts'

/** Commands other than the server, by name. Each receives its arguments and resolves with the exit status. */
export const COMMANDS: Readonly<Record<string, typeof runConvert>> = {
  at: runAt,
  branch: runBranch,
  console: runConsole,
  convert: runConvert,
  diff: runDiff,
  export: runExport,
  import: runImport,
  log: runLog,
  merge: runMerge,
  open: runOpen,
  show: runShow,
  snapshot: runSnapshot,
  undo: runUndo,
  'upgrade-report': runReport,
  verify: runVerify,
  why: runWhy,
}
