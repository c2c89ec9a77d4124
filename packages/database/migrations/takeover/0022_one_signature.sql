-- It was for processes of a version that knew no schedule. Functions have one signature each.
drop function accept_conversations(jsonb, integer, integer);
