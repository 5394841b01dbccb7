import type { ManifestDocument } from '../admission/manifests/manifest-files.ts'
import { loadingError, type ManifestObject } from '../admission/manifests/manifest-rules.ts'
import { decodedObject, isJsonObject, type KubeObject } from '../api/meta/object.ts'
import type { Catalog, ServedResource } from '../catalog/catalog.ts'
import type { HookContext } from '../catalog/strategy.ts'
import { typeOfBody } from '../codec/body.ts'
import { decodeConfigInSteps, parseConfigInSteps, type TypeOfConfig } from '../codec/config-file.ts'
import { goJson } from '../codec/json.ts'
import { type ParsedYaml, repeatedKeysText } from '../codec/yaml.ts'
import type { Clock } from '../lib/clock.ts'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import { runStages } from '../lib/stages.ts'
import { runInTurns } from '../lib/steps.ts'
import type { Features } from '../lifecycle/gates.ts'
import { wordingOf } from '../lifecycle/release.ts'
import { StatusError } from '../meta/status.ts'
import { applyDefaultsInSteps } from '../registry/decode-object.ts'
import { internalContext } from '../registry/internal-context.ts'
import { beforeCreate } from '../registry/prepare.ts'
import { strategyOf } from '../registry/types.ts'
import { UNOBSERVED } from '../schema/declared-rules.ts'
import { DecodeError } from '../schema/decode.ts'

const GROUP = 'admissionregistration.k8s.io'
const API_VERSION = `${GROUP}/v1`
const LIST = 'List'
/** Kinds of the group. One that a plugin does not take is known, but not supported. */
const KNOWN = /^(?:Validating|Mutating)(?:WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding)(?:List)?$/

/** Dependencies of the decoder. */
interface DecoderParts {
  readonly catalog: Catalog
  readonly features: Features
  readonly clock: Clock
}

/** Decodes manifests as kube-apiserver does: strictly, with the defaults and the validation of the API. */
export class ManifestDecoder {
  readonly #parts: DecoderParts

  constructor(parts: DecoderParts) {
    this.#parts = parts
  }

  /**
   * Returns the objects of documents, in order. A list is replaced by its items. Rejects with an Error for the first
   * invalid one. @param resources plural names of the accepted kinds
   */
  async objectsOf(documents: readonly ManifestDocument[], resources: readonly string[]): Promise<ManifestObject<KubeObject>[]> {
    const kinds = new Map<string, ServedResource>()
    for (const resource of resources) {
      const served = this.#parts.catalog.snapshot().find(GROUP, 'v1', resource)
      if (served) kinds.set(served.version.kind, served)
    }
    const objects: ManifestObject<KubeObject>[] = []
    for (const { file, bytes } of documents)
      try {
        for (const object of await this.#decode(await runInTurns(parseConfigInSteps(bytes)), () => bytes.toString(), kinds))
          objects.push({ file, object })
      } catch (error) {
        throw loadingError(file, errorMessage(error))
      }
    return objects
  }

  /** Decodes one document, or an item of a list. `text`: the text that errors quote. */
  async #decode(parsed: ParsedYaml, text: () => string, kinds: ReadonlyMap<string, ServedResource>): Promise<KubeObject[]> {
    const { value, duplicates } = parsed
    const { apiVersion, kind } = typeOfBody(value)
    const itemKind = apiVersion === API_VERSION && kind.endsWith(LIST) ? kind.slice(0, -LIST.length) : ''
    const isList = (apiVersion === 'v1' && kind === LIST) || kinds.has(itemKind)
    if (!isList) return [await this.#complete(parsed, text, kinds)]
    // Repeated members are those of the whole document: the items have none.
    if (duplicates.length > 0) throw new DecodeError(`strict decoding error: ${repeatedKeysText(duplicates)}`)
    const objects: KubeObject[] = []
    const items = isJsonObject(value) && Array.isArray(value.items) ? value.items : []
    for (const item of items) {
      const typed = itemKind !== '' && isJsonObject(item) ? { ...item, apiVersion, kind: itemKind } : item
      objects.push(...(await this.#decode({ ...parsed, value: typed }, () => goJson(typed), kinds)))
    }
    return objects
  }

  /** Decodes, defaults and validates one object. */
  async #complete(parsed: ParsedYaml, text: () => string, kinds: ReadonlyMap<string, ServedResource>): Promise<KubeObject> {
    let found: ServedResource | undefined
    const typeOf: TypeOfConfig = (apiVersion, kind) => {
      if (apiVersion === API_VERSION) found = kinds.get(kind)
      if (found === undefined && apiVersion.startsWith(`${GROUP}/`) && KNOWN.test(kind))
        throw new DecodeError(`unsupported resource type *${apiVersion.slice(GROUP.length + 1)}.${kind}`)
      return found?.version.schema
    }
    const object = decodedObject(await runInTurns(decodeConfigInSteps(parsed, typeOf, text)))
    if (found === undefined) return object
    await runInTurns(applyDefaultsInSteps(found.version, object))
    await this.#validate(found, object)
    return object
  }

  async #validate(served: ServedResource, object: KubeObject): Promise<void> {
    const { clock } = this.#parts
    const { name = '' } = object.metadata
    const ctx = internalContext({ verb: 'create' }, new AbortController().signal, clock.now())
    const target = { ctx, served, subresource: '', namespace: '', name, dryRun: true, manager: '' }
    // Authorization of parameters is left out: manifests have none.
    const { evaluate: _, ...strategy } = strategyOf(served, undefined)
    try {
      await runStages(beforeCreate(target, strategy, object, this.#hooks()))
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      const { message = '' } = error.worded(wordingOf(this.#parts.features.release)).status
      throw new Error(`${object.kind} ${quote(name)}: ${message.slice(message.indexOf(INVALID) + INVALID.length)}`)
    }
  }

  /** The names of manifests are reserved for them, so that rule of the API does not apply. */
  #hooks(): HookContext {
    const { features, clock } = this.#parts
    return {
      now: clock.now(),
      subresource: '',
      features: { ...features, enabled: gate => gate !== 'ManifestBasedAdmissionControlConfig' && features.enabled(gate) },
      access: () => {
        throw new Error('a manifest refers to no objects')
      },
      declared: UNOBSERVED,
    }
  }
}

/** Separates the subject of a 422 from its errors. */
const INVALID = ' is invalid: '
