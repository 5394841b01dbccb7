import { doubled } from '../../../lib/buckets.ts'
import { CounterFamily, GaugeFamily, HistogramFamily, type MetricFamily } from '../../../lib/metrics.ts'
import { sha256Label } from '../../../lib/sha256-label.ts'
import type { KeyIdFault } from './encrypted-object.ts'

/** Buckets of kube-apiserver, from 0.1 ms and from 5 µs. */
const CALL_BUCKETS = doubled(0.0001, 20)
const GENERATION_BUCKETS = doubled(5e-6, 14)
/** Number of key ids in metrics, the most recently used ones, as in kube-apiserver. */
const MOST_KEYS = 100
/** Label of the server's identity. Our servers have none. */
const SERVER = ''

/** kube-apiserver's metrics of encryption by key management services. Key ids are shown as hashes. */
export class KmsMetrics {
  readonly #misses = new CounterFamily({
    name: 'apiserver_storage_envelope_transformation_cache_misses_total',
    help: 'Total number of cache misses while accessing key decryption key(KEK).',
    stability: 'ALPHA',
    labels: [],
  })
  readonly #generations = new HistogramFamily({
    name: 'apiserver_storage_data_key_generation_duration_seconds',
    help: 'Latencies in seconds of data encryption key(DEK) generation operations.',
    stability: 'ALPHA',
    labels: [],
    buckets: GENERATION_BUCKETS,
  })
  readonly #generationFailures = new CounterFamily({
    name: 'apiserver_storage_data_key_generation_failures_total',
    help: 'Total number of failed data encryption key(DEK) generation operations.',
    stability: 'ALPHA',
    labels: [],
  })
  readonly #calls = new HistogramFamily({
    name: 'apiserver_envelope_encryption_kms_operations_latency_seconds',
    help: 'KMS operation duration with gRPC error code status total.',
    stability: 'ALPHA',
    labels: ['provider_name', 'method_name', 'grpc_status_code'],
    buckets: CALL_BUCKETS,
  })
  readonly #uses = new CounterFamily({
    name: 'apiserver_envelope_encryption_key_id_hash_total',
    help: 'Number of times a keyID is used split by transformation type, provider, and apiserver identity.',
    stability: 'ALPHA',
    labels: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
    subject: ['key_id_hash'],
  })
  readonly #lastUses = new GaugeFamily({
    name: 'apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds',
    help: 'The last time in seconds when a keyID was used.',
    stability: 'ALPHA',
    labels: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
    subject: ['key_id_hash'],
    across: 'max',
  })
  readonly #lastStatuses = new GaugeFamily({
    name: 'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds',
    help: 'The last time in seconds when a keyID was returned by the Status RPC call.',
    stability: 'ALPHA',
    labels: ['provider_name', 'key_id_hash', 'apiserver_id_hash'],
    subject: ['key_id_hash'],
    across: 'max',
  })
  readonly #invalid = new CounterFamily({
    name: 'apiserver_envelope_encryption_invalid_key_id_from_status_total',
    help: 'Number of times an invalid keyID is returned by the Status RPC call split by error.',
    stability: 'ALPHA',
    labels: ['provider_name', 'error'],
  })
  readonly #sources = new GaugeFamily({
    name: 'apiserver_envelope_encryption_dek_source_cache_size',
    help: 'Number of records in data encryption key (DEK) source cache. On a restart, this value is an approximation of the number of decrypt RPC calls the server will make to the KMS plugin.',
    stability: 'ALPHA',
    labels: ['provider_name'],
    across: 'max',
  })

  /** Hashes of key ids, least recently used first. */
  readonly #keys = new Set<string>()

  readonly families: readonly MetricFamily[] = [
    this.#misses,
    this.#generations,
    this.#generationFailures,
    this.#calls,
    this.#uses,
    this.#lastUses,
    this.#lastStatuses,
    this.#invalid,
    this.#sources,
  ]

  /** Records a call to a service. `status` is the gRPC code by name. */
  called(provider: string, method: string, seconds: number, status: string): void {
    this.#calls.child(provider, method, status).observe(seconds)
  }

  /** Counts a data encryption key that was not cached, so that the service had to decrypt it. */
  missed(): void {
    this.#misses.child().value++
  }

  /** Records the time to generate a data encryption key. */
  generated(seconds: number): void {
    this.#generations.child().observe(seconds)
  }

  /** Counts a use of a key. `hash` is that of its id; `now` is in milliseconds since 1970. */
  used(direction: 'to_storage' | 'from_storage', provider: string, hash: string, now: number): void {
    this.#touch(hash)
    this.#uses.child(direction, provider, hash, SERVER).value++
    this.#lastUses.child(direction, provider, hash, SERVER).value = now / 1000
  }

  /** Records the key id of a Status response. `now` is in milliseconds since 1970. */
  status(provider: string, keyId: string, now: number): void {
    const hash = sha256Label(keyId)
    this.#touch(hash)
    this.#lastStatuses.child(provider, hash, SERVER).value = now / 1000
  }

  /** Counts a Status response with an invalid key id. */
  invalidStatus(provider: string, { label }: KeyIdFault): void {
    this.#invalid.child(provider, label).value++
  }

  /** Sets the number of cached data encryption keys. */
  cached(provider: string, sources: number): void {
    this.#sources.child(provider).value = sources
  }

  /** Marks a key as used. Removes the metrics of the least recently used one if there are too many. */
  #touch(hash: string): void {
    this.#keys.delete(hash)
    this.#keys.add(hash)
    const [oldest] = this.#keys
    if (oldest === undefined || this.#keys.size <= MOST_KEYS) return
    this.#keys.delete(oldest)
    for (const family of [this.#uses, this.#lastUses, this.#lastStatuses]) family.forget(oldest)
  }
}
