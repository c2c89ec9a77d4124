{{/* The name of everything: short enough for the suffixes of all objects and for the pods of a Deployment. */}}
{{- define "factmill.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What selects the pods of a component: never changes between versions. Needs `root` and `component`. */}}
{{- define "factmill.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 }}
app.kubernetes.io/instance: {{ .root.Release.Name | trunc 63 }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "factmill.labels" -}}
{{ include "factmill.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: factmill
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name (replace "+" "_" .root.Chart.Version) | trunc 63 }}
{{- end -}}

{{- define "factmill.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "factmill.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "factmill.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* A value as the text of a variable. Helm reads every number as a float, and would write 4194304 as 4.194304e+06. */}}
{{- define "factmill.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{- int64 . -}}
{{- else -}}
{{- toString . -}}
{{- end -}}
{{- end -}}

{{/* The number of extractors there may be. */}}
{{- define "factmill.mostExtractors" -}}
{{- with .Values.extractor -}}
{{- if or .autoscaling.enabled .autoscaling.keda.enabled }}{{ .autoscaling.maxReplicas }}{{ else }}{{ .replicas }}{{ end -}}
{{- end -}}
{{- end -}}
