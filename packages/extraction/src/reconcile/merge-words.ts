/**
 * Words that a merged text may add: they state nothing, or connect the old and the new. All other words must come
 * from its sources. Function words of other languages are included, so that memories in them can be merged too.
 */
export const MERGE_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those such of in on at to for with by from as into onto over under about between among
  through during within near and or but so than if while where when who whom whose which what how because though although
  however therefore is are was were be been being am has have had having do does did done can could will would may might
  must shall should i me my mine we us our you your he him his she her hers it its they them their theirs one ones
  themselves himself herself itself user users user's person someone there here

  now currently today nowadays present presently since then still already yet again also too both well together another
  other others more most some any all each every same only just recently lately later earlier before after afterwards
  until once first last next instead rather formerly former previously previous used use time times new newly old older
  change changed changes switch switched move moved moves moving relocate relocated become became becomes start started
  begin began update updated correct corrected correction actually namely called named known located based live lives
  living lived reside resides residing work works working worked employed stay stays stayed home place

  der die das den dem des ein eine einen einem einer eines und oder aber sondern in im an am auf aus bei mit nach von vom
  vor zu zum zur für über um als wie ist sind war waren hat haben hatte wird wurde werden er sie es ihr ihre ihren ihm
  ihn sein seine seinen sich jetzt nun früher vorher seit dann noch schon auch nur wieder zuvor benutzer nutzer nutzerin
  lebt lebte wohnt wohnte arbeitet arbeitete zieht zog gezogen umgezogen

  le la les l un une des du de d et ou mais dans en au aux sur sous chez avec par pour sans ce cet cette ces il elle ils
  elles son sa ses leur leurs est sont était a ont avait maintenant avant depuis puis encore déjà aussi utilisateur
  utilisatrice habite vit vivait travaille travaillait déménagé

  el los las unos unas y o u pero en con por para sin su sus es son era está están estaba ha han había ahora antes desde
  luego aún ya también se lo usuario usuaria vive vivía trabaja trabajaba mudó

  os as um uma uns umas e ou mas em no na nos nas ao aos à às do da dos das com por pelo pela seu sua seus suas é são
  era está estão tem têm agora antes desde depois ainda já também se que usuário usuária mora morava trabalha mudou

  il lo gli i uno e ed o ma in nel nella con su per da dal dalla di del della suo sua suoi sue è sono era ha hanno ora
  prima poi ancora già anche utente vive viveva lavora trasferito`
    .trim()
    .split(/\s+/),
);
