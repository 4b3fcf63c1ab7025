// RUN: fiji gfx900 gfx906
v_madak_f16 v0, v1, v2, 0x12345678  //~ ERROR 305419896 is out of range -32768 to 65535
v_madmk_f16 v0, v1, 0x10000, v2     //~ ERROR 65536 is out of range -32768 to 65535
