import type { Json, JsonObject } from '../../../api/meta/object.ts'
import { isJsonObject } from '../../../api/meta/object.ts'
import type { Steps } from '../../../lib/steps.ts'
import { TemplateError } from '../template/errors.ts'
import type { TemplateFunctions } from '../template/template.ts'
import { finalizerOperations } from './finalizers.ts'
import type { PatchMediaType, Stage, StageEvent, StagePatch, StageStep, StageWrite } from './stage.ts'

/** Rendered patch of the object, or of another one. */
export interface RenderedWrite {
  readonly type: PatchMediaType
  readonly data: Json
  /** Empty for the object itself. */
  readonly subresource: string
  /** Optional. User that the request acts as. */
  readonly impersonation?: string
}

/** A change that a stage makes. */
export type StageAction =
  | { readonly kind: 'event'; readonly event: StageEvent }
  | ({ readonly kind: 'patch' } & RenderedWrite)
  /** The data is another object, which is created, or patched if it exists or if a subresource is named. */
  | ({ readonly kind: 'apply' } & RenderedWrite)
  | { readonly kind: 'delete' }

/** Settings of rendering that do not depend on the stage. */
export interface ActionOptions {
  /** Functions of the templates. */
  readonly functions: TemplateFunctions
  /** Type of patches that name none. kwok patches nodes and pods strategically, and merges others. */
  readonly defaultPatch: PatchMediaType
}

/**
 * Renders the steps of a stage for an object, which every step sees as it was before the first. Each is a step of its
 * own here, too. Throws TemplateError.
 */
export function* stageActions(stage: Stage, object: JsonObject, options: ActionOptions): Steps<StageAction[]> {
  const actions: StageAction[] = []
  let isDeleted = false
  for (const step of stage.steps) {
    yield
    if (step.event) actions.push({ kind: 'event', event: step.event })
    // Later steps of a deleted object can only send events.
    if (!isDeleted) actions.push(...writesOf(step, object, options))
    isDeleted ||= step.delete
  }
  return actions
}

/** Returns the changes of a step in order: finalizers, then deletion, or patch and apply. */
function writesOf({ finalizers, delete: isDeletion, patch, apply }: StageStep, object: JsonObject, options: ActionOptions): StageAction[] {
  const operations = finalizers ? finalizerOperations(finalizersOf(object), finalizers) : []
  const actions: StageAction[] =
    operations.length > 0 ? [{ kind: 'patch', type: 'application/json-patch+json', data: operations, subresource: '' }] : []
  if (isDeletion) return [...actions, { kind: 'delete' }]
  if (patch) actions.push({ kind: 'patch', ...rendered(patch, object, patch.type ?? options.defaultPatch, options, patch) })
  if (apply) actions.push({ kind: 'apply', ...rendered(apply, object, apply.type ?? 'application/apply-patch+yaml', options) })
  return actions
}

/** Finalizers of an object. Malformed ones are left out. */
function finalizersOf({ metadata }: JsonObject): string[] {
  const finalizers = isJsonObject(metadata) ? metadata.finalizers : undefined
  return Array.isArray(finalizers) ? finalizers.filter(name => typeof name === 'string') : []
}

/** Renders a template for an object. Throws TemplateError. */
function rendered(
  write: StageWrite,
  object: JsonObject,
  type: PatchMediaType,
  { functions }: ActionOptions,
  patch?: StagePatch,
): RenderedWrite {
  const value = write.template.value(object, functions)
  const { subresource, impersonation } = write
  return { type, data: patch ? atRoot(patch.root, value, type) : value, subresource, ...(impersonation !== undefined && { impersonation }) }
}

/** Moves a patch to a member of the object. The paths of a JSON patch are extended, and other patches are wrapped. */
function atRoot(root: string, value: Json, type: PatchMediaType): Json {
  if (root === '') return value
  if (type !== 'application/json-patch+json') return { [root]: value }
  if (!Array.isArray(value)) throw new TemplateError('a JSON patch must be a list of operations')
  return value.map(operation => {
    if (!isJsonObject(operation)) throw new TemplateError('an operation of a JSON patch must be an object')
    return { ...operation, path: `/${root}${typeof operation.path === 'string' ? operation.path : ''}` }
  })
}
