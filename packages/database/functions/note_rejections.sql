-- Notes why candidates of an extraction were not stored, in the transaction that ends it. For processes of the version
-- before: finish_extraction does it.
-- extraction: the extraction. reasons: { reason: count } | null.
create or replace function note_rejections(extraction uuid, reasons jsonb) returns void language sql
begin atomic
  update extractions set rejections = reasons
    where id = extraction and rejections is distinct from reasons and jsonb_typeof(reasons) = 'object';
end;
