{{/* Which secret settings each service reads. */}}
{{- define "factmill.secretsOf" -}}
gateway: [ADMIN_API_KEY, LLM_API_KEY, CHAT_API_KEY, CHAT_UPSTREAMS, REDIS_SENTINEL_PASSWORD, REDIS_TLS_CA, REDIS_TLS_CERT, REDIS_TLS_KEY]
retrieval: [ADMIN_API_KEY, LLM_API_KEY, EMBEDDING_API_KEY, RERANK_API_KEY, DATABASE_READ_URL]
extractor: [LLM_API_KEY, EMBEDDING_API_KEY, REDIS_SENTINEL_PASSWORD, REDIS_TLS_CA, REDIS_TLS_CERT, REDIS_TLS_KEY]
{{- end -}}

{{/* A variable from a Secret: an address that is in one of the cluster's, or in ours. */}}
{{- define "factmill.fromSecret" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ .name }}
      key: {{ .key }}
{{- if .optional }}
      optional: true
{{- end }}
{{- end -}}

{{/* DATABASE_URL of the services. */}}
{{- define "factmill.databaseEnv" -}}
{{- with .Values.database -}}
{{- include "factmill.fromSecret" (dict "variable" "DATABASE_URL"
  "name" (default (include "factmill.fullname" $) .existingSecret)
  "key" (ternary .existingSecretKey "DATABASE_URL" (ne .existingSecret ""))) -}}
{{- end -}}
{{- end -}}

{{/* Addresses of the migration: the owner's, who makes the tables, and that of the services, who get their rights. With
     that of Redis they get no right to make a queue in Postgres. They come from a Secret of its own, because a hook runs before the other objects are there. */}}
{{- define "factmill.migrateEnv" -}}
{{- $own := printf "%s-migrate" (include "factmill.fullname" .) -}}
{{- with .Values.database -}}
{{- include "factmill.fromSecret" (dict "variable" "DATABASE_URL"
  "name" (default $own .existingSecret)
  "key" (ternary .existingSecretKey "DATABASE_URL" (ne .existingSecret ""))) -}}
{{- if or .owner.url .owner.existingSecret }}
{{ include "factmill.fromSecret" (dict "variable" "DATABASE_OWNER_URL"
  "name" (default $own .owner.existingSecret)
  "key" (ternary .owner.existingSecretKey "DATABASE_OWNER_URL" (ne .owner.existingSecret ""))) }}
{{- end -}}
{{- end -}}
{{- with .Values.redis }}
{{- if or .url .existingSecret }}
{{ include "factmill.fromSecret" (dict "variable" "REDIS_URL"
  "name" (default $own .existingSecret)
  "key" (ternary .existingSecretKey "REDIS_URL" (ne .existingSecret ""))) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Variables of a service that come from Secrets. Needs `root` and `component`. */}}
{{- define "factmill.secretEnv" -}}
{{- $root := .root -}}
{{ include "factmill.databaseEnv" $root }}
{{- with $root.Values.redis }}
{{- if or .url .existingSecret }}
{{ include "factmill.fromSecret" (dict "variable" "REDIS_URL"
  "name" (default (include "factmill.fullname" $root) .existingSecret)
  "key" (ternary .existingSecretKey "REDIS_URL" (ne .existingSecret ""))) }}
{{- end }}
{{- end }}
{{- $existing := $root.Values.secrets.existingSecret }}
{{- range get (include "factmill.secretsOf" $root | fromYaml) .component }}
{{- if $existing }}
{{ include "factmill.fromSecret" (dict "variable" . "name" $existing "key" . "optional" true) }}
{{- else if get $root.Values.secrets . }}
{{ include "factmill.fromSecret" (dict "variable" . "name" (include "factmill.fullname" $root) "key" .) }}
{{- end }}
{{- end }}
{{- end -}}
