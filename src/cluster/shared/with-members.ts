import { mapResult, type Steps } from '../../lib/steps.ts'
import { hasFewValues } from '../../meta/few-values.ts'
import { cloneInSteps } from '../../meta/whole-floats.ts'

/** Labels or annotations. */
type Texts = Readonly<Record<string, string>>

/** Returns a copy of labels or annotations with others added or replaced, in steps if there are many. */
export const withMembers = (texts: Texts = {}, added: Texts = {}): Record<string, string> | Steps<Record<string, string>> =>
  hasFewValues(texts) ? { ...texts, ...added } : mapResult(cloneInSteps<Record<string, string>>(texts), copy => Object.assign(copy, added))
